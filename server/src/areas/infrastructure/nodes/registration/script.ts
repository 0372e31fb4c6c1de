import { nodeRegistration } from '@mainstay/contract/infrastructure/node-registration'

/**
 * Returns the shell script that registers a host. The script installs the packages that are needed to connect to the
 * host, accepts the key of the installation for `cockpit-bridge` only, and reports the host. If the installation
 * refuses the host, the script removes the key again, unless the key was there before.
 */
export const registrationScript = (publicKey: string): string => `#!/bin/sh
# Registers this host as a node. Arguments: address of the installation, token, fingerprint of its certificate.
set -eu
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
server=\${1:?address of the installation is missing}
token=\${2:?registration token is missing}
pin=\${3:-}
key='${publicKey}'

fail() { echo "$1" >&2; exit 1; }
[ "$(id -u)" = 0 ] || fail 'Run this command as root.'
[ -s /etc/machine-id ] || fail 'This host has no /etc/machine-id. Create it: systemd-machine-id-setup'

if ! command -v sshd >/dev/null || ! command -v cockpit-bridge >/dev/null; then
  if command -v apt-get >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq </dev/null
    apt-get install -qq -y --no-install-recommends openssh-server cockpit-bridge </dev/null >/dev/null
  elif command -v dnf >/dev/null; then
    dnf install -q -y openssh-server cockpit-bridge </dev/null
  else
    fail 'Install openssh-server and cockpit-bridge, then run this command again.'
  fi
fi
if command -v systemctl >/dev/null; then
  systemctl enable --now ssh </dev/null >/dev/null 2>&1 || systemctl enable --now sshd </dev/null >/dev/null 2>&1 || true
fi

mkdir -p /run/sshd
settings=$(sshd -T 2>/dev/null) || fail 'The settings of the SSH server cannot be read. Check them: sshd -t'
refused() { fail "The SSH server does not accept keys of root: $1. Change that in /etc/ssh/sshd_config, then run this command again."; }
setting() { echo "$settings" | sed -n "s/^$1 //p" | head -n 1; }
[ "$(setting permitrootlogin)" != no ] || refused 'PermitRootLogin no'
[ "$(setting pubkeyauthentication)" != no ] || refused 'PubkeyAuthentication no'
home=$(getent passwd root | cut -d : -f 6)
[ -n "$home" ] || fail 'The home folder of root is not known: getent passwd root'
files=$(setting authorizedkeysfile)
case " \${files:-.ssh/authorized_keys} " in
  *' .ssh/authorized_keys '* | *' %h/.ssh/authorized_keys '* | *" $home/.ssh/authorized_keys "*) ;;
  *) refused "AuthorizedKeysFile $files" ;;
esac
port=$(echo "$settings" | sed -n 's/^port //p' | head -n 1)
host_key=
for file in $(echo "$settings" | sed -n 's/^hostkey //p' | sort -r | grep -e ed25519 -e ecdsa -e rsa); do
  [ -s "$file.pub" ] || continue
  host_key=$(cut -d ' ' -f 1,2 "$file.pub")
  case $file in *ed25519*) break ;; esac
done
[ -n "$host_key" ] || fail 'The SSH server has no host key. Create one: ssh-keygen -A'

name=\${server#*://}
case $name in \\[*) name=\${name#[}; name=\${name%%]*} ;; *) name=\${name%%[:/]*} ;; esac
peer=$(getent ahosts "$name" | sed -n '1s/ .*//p')
address=
[ -z "$peer" ] || address=$(ip -o route get "$peer" 2>/dev/null | sed -n 's/.* src \\([^ ]*\\).*/\\1/p')
[ -z "$address" ] || address="\\"address\\":\\"$address\\","

umask 077
keys=$home/.ssh/authorized_keys
mkdir -p "$home/.ssh"
touch "$keys"
blob=$(echo "$key" | cut -d ' ' -f 2)
remove_key() { sed -i "\\\\,$blob,d" "$keys"; }
known=
grep -qF "$blob" "$keys" && known=1
remove_key
[ -z "$(tail -c 1 "$keys")" ] || echo >>"$keys"
echo "restrict,command=\\"cockpit-bridge\\" $key" >>"$keys"

report="{$address\\"token\\":\\"$token\\",\\"hostname\\":\\"$(uname -n)\\",\\"machine_id\\":\\"$(cat /etc/machine-id)\\",\\"port\\":\${port:-22},\\"user\\":\\"root\\",\\"host_key\\":\\"$host_key\\"}"
set -- curl -sS --max-time 60 -H 'content-type: application/json' --data @- -w '\\n%{http_code}'
[ -z "$pin" ] || set -- "$@" -k --pinnedpubkey "$pin"
answer=$(printf '%s' "$report" | "$@" "$server${nodeRegistration.register.path}") || true
echo "$answer" | sed '$d'
case $(echo "$answer" | tail -n 1) in
  2??) ;;
  4??)
    [ -n "$known" ] || remove_key
    fail 'The installation did not accept this host.'
    ;;
  *) fail 'The installation did not answer. Run this command again.' ;;
esac
echo
echo 'This host is being registered. Follow it in the console.'
`
