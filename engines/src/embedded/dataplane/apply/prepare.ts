import { edgeRules } from '../../../network-model/uplink'
import {
  bridgeChains,
  filledInBridge,
  bridgeHooks,
  bridgeSets,
  counters,
  inetHooks,
  inetSets,
} from '../../../network-model/compile/switch-tables'

/**
 * Prepares the mount points for namespaces and the switch namespace in a capsule. Idempotent. Named namespaces are
 * stored in `/run`, which belongs to the host, so a tmpfs is mounted over it; `$1` is the capsule's folder, which may
 * be below `/run`. If only root may open `/dev/net/tun`, a device node that everyone may open is mounted over it.
 */
export const prepareScript = `set -e
if ! [ -e /run/netns/edge ]; then
  exec 9<"$1"
  mount -t tmpfs -o mode=755,size=16m mainstay /run
  case $1 in /run/*) mkdir -p "$1"; mount --bind /proc/self/fd/9 "$1";; esac
  case $(stat -c %a /dev/net/tun) in *[67]) ;; *) mknod -m 666 /run/tun c 10 200; mount --bind /run/tun /dev/net/tun;; esac
  ip netns add sw
  : >/run/netns/edge
  mount --bind /proc/self/ns/net /run/netns/edge
  ip link set dev lo up
fi
[ -e /run/netns/sw ] || ip netns add sw
rules=$(ip rule)
${Object.entries(edgeRules)
  .map(([place, rule]) => `case $rules in *"\n${place}:"*|"${place}:"*) ;; *) ip rule add pref ${place} ${rule};; esac`)
  .join('\n')}
echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter
echo 0 >/proc/sys/net/ipv4/conf/default/rp_filter
nsenter --net=/run/netns/sw sh -ec 'cd /proc/sys/net
echo 1 >ipv6/conf/all/disable_ipv6; echo 1 >ipv6/conf/default/disable_ipv6
echo 1 >bridge/bridge-nf-call-iptables; echo 1 >bridge/bridge-nf-call-ip6tables; echo 0 >bridge/bridge-nf-call-arptables
ip link set dev lo up'
`

/**
 * Tests each kernel feature that the switches require, in a namespace that disappears when the script ends. Prints
 * `ok NAME` or `no NAME REASON` for each feature.
 */
export const probeScript = `
t() { n=$1; shift; if o=$("$@" 2>&1); then echo "ok $n"; else echo "no $n $(echo $o)"; fi; }
t settings sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
t bridge ip link add pb0 type bridge
t veth ip link add pv0 type veth peer name pv1
t tun ip tuntap add dev pt0 mode tap
t tracking sh -c 'echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables'
t limit tc qdisc add dev pv0 root tbf rate 8mbit burst 64k latency 50ms
t rules nft -f - <<'END'
${tableTexts()}
END
t translation nft -f - <<'END'
table inet probe_nat {
 chain a { type nat hook postrouting priority srcnat; policy accept;
  masquerade
 }
}
END
`

function tableTexts(): string {
  const sets = (all: Record<string, { kind: string; type: string }>) =>
    Object.entries(all)
      .map(([name, { kind, type }]) => ` ${kind} ${name} { ${type}\n }`)
      .join('\n')
  return `table bridge probe {\n${sets(bridgeSets)}${filledInBridge}${bridgeChains}${bridgeHooks}\n}
table inet probe {\n${sets(inetSets)}${counters}${inetHooks}\n}`
}
