# Parsed by nix-instantiate, not run: `nix run github:git-council/git-council?dir=packaging/nix -- review`.
{
  description = "Several independent judges review a change and give one verdict";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
    in {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "git-council";
          version = "0.1.0";
          src = ../..;
          cargoLock.lockFile = ../../Cargo.lock;
          cargoBuildFlags = [ "--bin" "git-council" ];
          # The tests need git, a home and a terminal; CI runs them.
          doCheck = false;
          meta = {
            homepage = "https://github.com/git-council/git-council";
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "git-council";
          };
        };
      });
    };
}
