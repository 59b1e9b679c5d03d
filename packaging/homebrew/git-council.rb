# Linted (rubocop with Homebrew's quotes), not run: no version has been published.
# Whoever publishes one fills in the digests of SHA256SUMS.
class GitCouncil < Formula
  desc "Several independent judges review a change and give one verdict"
  homepage "https://github.com/git-council/git-council"
  version "0.1.0"
  license any_of: ["MIT", "Apache-2.0"]

  base = "https://github.com/git-council/git-council/releases/download/v#{version}/git-council-#{version}"
  on_macos do
    on_arm do
      url "#{base}-aarch64-apple-darwin.tar.xz"
      sha256 "DIGEST-OF-aarch64-apple-darwin"
    end
    on_intel do
      url "#{base}-x86_64-apple-darwin.tar.xz"
      sha256 "DIGEST-OF-x86_64-apple-darwin"
    end
  end
  on_linux do
    on_arm do
      url "#{base}-aarch64-unknown-linux-gnu.tar.xz"
      sha256 "DIGEST-OF-aarch64-unknown-linux-gnu"
    end
    on_intel do
      url "#{base}-x86_64-unknown-linux-gnu.tar.xz"
      sha256 "DIGEST-OF-x86_64-unknown-linux-gnu"
    end
  end

  def install
    bin.install "git-council"
    man1.install "man/man1/git-council.1"
    bash_completion.install "completions/git-council"
    zsh_completion.install "completions/_git-council"
    fish_completion.install "completions/git-council.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/git-council --version")
  end
end
