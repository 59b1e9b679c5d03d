//! `provider-token`: a token in the shape that its provider gives it.

use council_secrets::SecretMatch;

use super::prelude::*;

/// Letters that each token holds, in small ones: a table of data, many in a line.
#[rustfmt::skip]
const NEEDLES: &[&str] = &[
    "akia", "asia", "abia", "acca", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "glptt-",
    "glrt-", "gldt-", "glsoat-", "glcbt-", "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "hooks.slack.com", "sk_live_",
    "rk_live_", "aiza", "sk-ant-", "t3blbkfj", "npm_", "pypi-age", "sg.", "hf_", "dop_v1_", "doo_v1_", "dor_v1_",
    "shpat_", "shpca_", "shppa_", "shpss_", "accountkey=", "sharedaccesskey=", "dckr_pat_", "dckr_oat_", "hvs.",
    "hvb.", "glsa_", "glc_", "lin_api_", "age-secret-key-1", "private", "preshared", "dapi", "nrak-", "pmak-",
    ".atlasv1.", "/webhooks/", "gr1348941", "api_org_", "npmtoken.", "1//0", "fo1_", "bedrock-api-key-", "atctt3xff",
    "xsmtpsib-", "nral", "nrii-", "nrjs-", "v1.0-", "a3-", "cmvmdgtu", "eyjrijoi", "p8e-", "4b1d", "ico-", "_mmk",
    "api-", "sha256~", "pnu_", "tk-us-", "sm_aat_", "sm_pat_", "sm_sat_", ".webhook.office.com/", "lin_oauth_",
    "run(", "cio", "secret", "sk-or-v1-", "gsk_", "_auth", ":_password", ":aa", "key", "account", "gloas-",
    "glagent-", "glimt-", "glft-", "glffct-", "atbb", "atatt3", "-us", "sq0", "ntn_", "rubygems_", "oy2", "q~",
    "sntrys_", "sntryu_", "sbp_", "dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit.", "fm1", "fm2",
    "pul-", "access-production-", "access-development-", "access-sandbox-", "xai-", "pplx-", "r8_", "figd_", "figo_",
    "figr_", "figp_", "dt0", "pscale_", "hrku-", "akcp", "bkua_", "ccipat_", "cciprj_", "ops_eyj", "nfp_", "nfc_",
    "nfo_", "nfb_", "nfu_", "nvapi-", "pcsk_", "pat", "pat-na", "pat-eu", "pat-ap", "pat.", "discord", "bot", "login",
    "connect", "azdo", "acdb", "azse", "azfu", "+acr", "absk", "cfut_", "cfat_", "cfkt_", "tvly-", "jina_", "lsv2_",
    "sgp_", "phx_", "ltai", "clojars_", "fio-u-", "amzn.mws.", "access_token$", "sk.eyj", "cfpat-", "rdme_", "napi_",
    "key_", "flwseck", "duffel_", "shippo_", "ezak", "eztk", "tfp_", "dnkey-",
    // The same tokens as Markdown, HTML, JSON, URLs and programs write them,
    "\\_", "\\-", "\\u00", "\\u{", "\\x2", "\\x3", "\\x4", "\\x5", "\\x6", "\\x7", "\\0", "\\1", "&#", "&lowbar;",
    "&underbar;", "&hyphen;", "&colon;", "&period;", "&zwj;", "&zwnj;", "&nobreak;", "&zerowidthspace;", "\\u20",
    "\\ufeff", "%2", "%3", "%4", "%5", "%6", "%7", "=2", "=3", "=4", "=5", "=6", "=7", "&shy;", "<wbr", "\u{ad}",
    "\u{200b}", "\u{200c}", "\u{200d}", "\u{2060}", "\u{feff}",
    // and as base64 has what they begin with, at each of its three places.
    "0b2tlb", "0c2tles", "0dmx5l", "0znbf", "4a2v5c2lil", "4b3hhl", "4b3hil", "4b3hwl", "4b3hyl", "4b3hzl", "4ywkt",
    "50bl", "52yxbpl", "5hcglf", "5hdgxhc3yxl", "5mb1", "5mcf", "5mdv", "5my1", "5myl", "5squst", "5wbv",
    "6x3bhc3n3b3jk", "9hcgkvd2viag9va3mv", "9hdxro", "9wc19leu", "a2v5x", "ag9va3muc2xhy2suy29t", "ahzil", "ahzzl",
    "amluyv", "b1bc", "b3bzx2v5s", "b5cgktqwdf", "bekz1", "belnl", "bg9naw", "bglux2fwav", "bhdc", "bhn2ml", "bjc2tf",
    "bmfwav", "bmz1x", "bmzix", "bmzjx", "bmzvx", "bmzwx", "bnbtx", "bnqust", "bnrux", "bnzhcgkt", "boef", "bq0nb",
    "bq0ri", "bqklb", "bqlnl", "br0utu0vdukvulutfws0x", "bs0lb", "bs0nw", "bsxph", "bu0lb", "bvefuvd", "bvejc",
    "bwbhgt", "bwkrp", "bzy2fszv", "c250cnl1x", "c250cnlzx", "c2dwx", "c2hhcmvkywnjzxnza2v5p", "c2hpchbvx",
    "c2hwc3nf", "c2hwcgff", "c2hwy2ff", "c2hwyxrf", "c2jwx", "c2stb3itdjet", "c2styw50l", "c2suzxlq", "c2tfbgl2zv",
    "c2vjcmv0", "cgf0l", "cgh4x", "cgnza1", "chbsec", "chlwas1bz0", "chnjywxlx", "chvsl", "cmrtzv", "cmtfbgl2zv",
    "cnviewdlbxnf", "dg9rzw", "dgzwx", "dhnrzxkt", "dhzses", "dob1", "doc1", "docf", "docl", "dodv", "dpdgh1yl9wyxrf",
    "drlbbvc", "dsaw10l", "dsb2fzl", "dsc29hdc", "dsc2ff", "dschr0l", "dscnqt", "dsy1", "dsy2j0l", "dsywdlbnqt",
    "dszhqt", "dszmzjdc", "dsznqt", "dte9kqvjtx", "dza1", "eg94cc", "eg94ci", "eg94cy", "eg94yi", "eg94ys", "egfpl",
    "egtlexnpyi", "f6rn", "f6u2", "fare", "fcsu", "fcu0", "fdq0", "fdrg", "fhrs1trunsrvqts0vzlt", "fjem", "fjy291bn",
    "fjy2vzcy1kzxzlbg9wbwvudc", "fjy2vzcy1wcm9kdwn0aw9ul", "fjy2vzcy1zyw5kym94l", "flq3", "flsu", "ftem4ubxdzl",
    "ftsu", "fuqk", "fuqvrum", "fyxv0a", "gtfdtrunl", "h2cy", "h2yi", "hbxpulm13cy", "hhas", "hrzxlzawit", "hss1ut",
    "hvb2tzlnnsywnrlmnvb", "hveget", "hvegit", "hvehat", "hvehit", "hvehmt", "hy2nlc3mtc2fuzgjvec",
    "hy2nlc3mtchjvzhvjdglvbi", "hy2nlc3mtzgv2zwxvcg1lbnqt", "hy2nvdw50", "ia3vhx", "iuktvl", "j1ynlnzw1zx",
    "jb25uzwn0", "jkbwvf", "jrdwff", "jrx2xpdmvf", "jy2lwcmpf", "jy2lwyxrf", "jzmf0x", "jzmt0x", "jznv0x", "k0fdu",
    "kaxnjb3jk", "kb29fdjff", "kb3bfdjff", "kb3jfdjff", "kbmtles", "kcc5hdwrpdc", "kcc5jdc", "kcc5wdc", "kcc5zdc",
    "kcc5zy2ltl", "kcc5zys", "kdwzmzwxf", "ky2tyx29hdf", "ky2tyx3bhdf", "kyxbp", "l2fwas93zwjob29rcy", "lemfr",
    "lenrr", "lmf0bgfzdjeu", "maw8tds", "mawdkx", "mawdvx", "mawdwx", "mawdyx", "mvefj", "nag9f", "nahbf", "nahjf",
    "nahnf", "nahvf", "naxrodwjfcgf0x", "nbg9hcy", "nbgfnzw50l", "nbgltdc", "nbgnf", "nbgnidc", "nbgr0l", "nbgz0l",
    "nbgzmy3qt", "nbhb0dc", "nbhj0l", "nbhnhx", "nbhnvyxqt", "nc2tf", "ngueful", "nicf", "njaxbhdf", "njaxbyal",
    "nly3jld", "nma3rf", "nmdxrf", "nmt0pbulnf", "nmyxrf", "nncf", "noaxbwb1", "nocgf0x", "nocgnhx", "nochbhx",
    "nochnzx", "noyxjlzgfjy2vzc2tlet", "nrlmv5a", "nrlw9ylxyxl", "nrlwfudc", "nrx2xpdmvf", "nudhj5c1", "nudhj5dv",
    "nvbm5ly3", "ob29rcy5zbgfjay5jb2", "odmiu", "odnmu", "ol9wyxnzd29yz", "oukfll", "pfcgfzc3dvcm", "ppbmff",
    "q0xpskfsu1", "q0zqqvqt", "qaw5hx", "qtufll", "qudflvnfq1jfvc1lrvktm", "qujjq", "qujts", "qul6y", "qundq",
    "quney", "qutdc", "qutjq", "qvnjq", "qvpet", "qvrbvfqz", "qvrcq", "qxpgd", "qxptz", "qzqmxia0zk", "r1zmzlbf",
    "r2bhkt", "rhcg", "rja3jfb2f0x", "rja3jfcgf0x", "rkxxu0vds", "rmcf", "rpc2nvcm", "rquns", "rua2v5l", "rva2vu",
    "rvb192mv", "rvcf92mv", "rvcl92mv", "rwlmf1zgl0l", "rwlmn0l", "rwlnb0l", "rwlnn0l", "rwlnnhl", "rwlnnjaw0u",
    "rza2v5l", "rzxlf", "saw5fyxbpx", "sb2dpb", "sc3yyx", "sfjlvs", "tbq1", "tfrbs", "tlev", "tljbsy", "ucg1f",
    "udg5f", "udmfwas", "ue1bsy", "um0jsymtgs", "uyxbpx", "uyxrsyxn2ms", "uzm9f", "uzmjf", "uzmnf", "uznbf", "uznvf",
    "v6dg", "v6yw", "vchnfzxlk", "vdncbgjrrk", "vyxbpl3dlymhvb2tzl", "wahhf", "wc2nhbgvf", "wcgx4l", "wdwwt",
    "wexbplufnr", "wy3nrx", "wyxqtbm", "wyxqtyx", "wyxqtzx", "wyxqu", "x2f1dg", "xpbl9hcglf", "xuqu", "xvz2lu",
    "xzdjjf", "y29ubmvjd", "y2npcgf0x", "y2npchjqx", "y2z1df", "y2zhdf", "y2zrdf", "ya19saxzlx", "ydwj5z2vtc1",
    "ymt1yv", "yw16bi5td3mu", "ywnjb3vud", "ywnjzxnzlwrldmvsb3btzw50l", "ywnjzxnzlxbyb2r1y3rpb24t",
    "ywnjzxnzlxnhbmrib3gt", "yzg1lx", "z2h1x", "z2hvx", "z2hwx", "z2hyx", "z2hzx", "z2l0ahvix3bhdf", "z2xhz2vudc",
    "z2xjx", "z2xjynqt", "z2xkdc", "z2xmdc", "z2xmzmn0l", "z2xpbxqt", "z2xvyxmt", "z2xwdhqt", "z2xwyxqt", "z2xydc",
    "z2xzb2f0l", "z2xzyv", "z3nrx", "za19saxzlx", "zagfyzwrhy2nlc3nrzxk9", "zaglwcg9f", "zahbhdf", "zahbjyv",
    "zahbwyv", "zahbzc1", "zay1hbnqt", "zay1vci12ms", "zay5lew", "zbnryexnf", "zbnryexvf", "zg5rzxkt", "zg9vx3yxx",
    "zg9wx3yxx", "zg9yx3yxx", "zgfwa", "zglzy29yz", "zgnrcl9vyxrf", "zgnrcl9wyxrf", "zhauc2eu", "zhauc2npbs",
    "zhauc3qu", "zhauchqu", "zhauy3qu", "zhauyxvkaxqu", "zhvmzmvsx", "zmlnb1", "zmlncf", "zmlncl", "zmlnzf",
    "zmlvlxut", "zmv1nfq0", "zpby11l", "zpz29f", "zpz2rf", "zpz3bf", "zpz3jf", "zxp0a", "zxpha", "zynbf", "zz3bf",
    "zzwnyzx",
];

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "provider-token",
        perspective: SECURITY,
        category: "secrets",
        severity: Critical,
        summary: "a token in the format of a known provider",
        why: "Anyone who can read the repository or its history can use the token. Deleting the line later does not \
              take it back.",
        fix: "Revoke the token at its provider, create a new one, and read it from the environment or a secret store.",
        examples: &[],
    },
    scope: RuleScope::Always,
    guards: Guarded::Code,
    languages: &[],
    claims: &["token", "api key", "secret", "credential", "access key"],
    check: RuleCheck::Line {
        needles: NEEDLES,
        look: check_line,
    },
};

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let found = line.find_secrets(|found| found.is_provider);
    if let Some(SecretMatch { owner, .. }) = found.first() {
        let more = line.count_more_secrets(&found, |one| one.owner.to_owned());
        // Whoever adds the token chooses the path: no folder makes it less alive.
        hits.push(line.line_hit(format!("A token in {owner}'s format is committed.{more}")));
    }
}
