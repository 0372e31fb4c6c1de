import { bare, readCidr, versionOf } from '../addresses'
import { insideBalancer, towardsOther } from '../names'
import type { WantedBalancer } from '../wanted-balancers'
import { isPair, vrrpAddress } from './balancers'
import type { PairPlan } from './plan'

/*
 * The keepalived configuration for each amphora in a pair, and the script that runs keepalived and checks HAProxy,
 * because an unprivileged keepalived cannot start scripts. Both amphorae have the same priority, and the active one
 * keeps the address until it fails. The script checks HAProxy twice per second; an amphora considers its peer lost
 * after two seconds.
 */

/** A port that is used only inside the namespace. */
export const alivePort = 65534
export const roleFile = 'role'
/** A file that contains the name of the peer's namespace. */
export const otherFile = 'other'
/** Placeholder for the working directory of the process. */
export const folderPlace = '%FOLDER%'
/** Placeholder for the command that runs keepalived. */
export const keepalivedPlace = '%KEEPALIVED%'
/** Placeholder for the command that makes keepalived's user the owner of a folder. */
export const ownerPlace = '%OWNER%'
export const pairCommand = 'carry'

const advertSeconds = 0.5
/**
 * PID files are set for unused components too, because keepalived 2.3 does not start unless it can write all of them,
 * and the default folder belongs to root.
 */
const pidFiles = Object.entries({ p: 'pid', r: 'vrrp.pid', c: 'checkers.pid', b: 'bfd.pid' })
  .map(([option, name]) => `-${option} '${folderPlace}/own/${name}'`)
  .join(' ')

/** Protocol number of routes that keepalived adds (rtnetlink's `RTPROT_KEEPALIVED`). */
const keepalivedProtocol = 18

export function pairPlan(balancer: WantedBalancer, at: number): PairPlan | null {
  if (!isPair(balancer)) return null
  const { address, gateway, amphoraIds } = balancer
  const own = `${bare(address)}/${readCidr(address).prefix}`
  const isV6 = versionOf(bare(address)) === 6
  const way = gateway === null ? null : `default via ${bare(gateway)} dev ${insideBalancer}${isV6 ? ' metric 1' : ''}`
  const other = amphoraIds[1 - at]!
  const config = [
    'global_defs {',
    '  vrrp_version 3',
    '  vrrp_garp_master_delay 1',
    '  vrrp_garp_master_repeat 2',
    '}',
    'track_file serves {',
    `  file "${folderPlace}/serves"`,
    '  weight 0',
    '}',
    'vrrp_instance balancer {',
    '  state BACKUP',
    '  nopreempt',
    `  interface ${towardsOther}`,
    '  virtual_router_id 1',
    '  priority 100',
    `  advert_int ${advertSeconds}`,
    '  virtual_ipaddress {',
    `    ${vrrpAddress}/32 dev lo`,
    '  }',
    '  virtual_ipaddress_excluded {',
    // otherwise the address would be deprecated and not used as a source
    `    ${own} dev ${insideBalancer}${isV6 ? ' preferred_lft forever' : ''}`,
    '  }',
    ...(way === null ? [] : ['  virtual_routes {', `    ${way}`, '  }']),
    '  track_file {',
    '    serves',
    '  }',
    '}',
    '',
  ]
  return { other, config: config.join('\n'), program: carryProgram(own) }
}

/**
 * Runs keepalived, tells it whether HAProxy is serving, and records the amphora's role. An amphora that becomes active
 * removes the address from its peer, whose keepalived may have been killed before it could. On startup, the script
 * leaves the address of a killed keepalived in place for up to 3 s, so that the peer can take over, and then removes
 * the remaining addresses and routes.
 */
const carryProgram = (own: string) => `#!/bin/bash
umask 022
rm -f ${roleFile}
for n in {1..30}; do ip -o address show dev ${insideBalancer} | grep -qF ' ${own} ' || break; sleep 0.1; done
ip address del ${vrrpAddress}/32 dev lo 2>/dev/null
ip address del ${own} dev ${insideBalancer} 2>/dev/null
for family in -4 -6; do ip $family route flush proto ${keepalivedProtocol}; done 2>/dev/null
look() { (exec 3<>/dev/tcp/127.0.0.1/${alivePort}) 2>/dev/null && failed=0 || failed=1; }
look; echo $failed >serves
mkdir -p own && ${ownerPlace} own
${keepalivedPlace} --dont-fork --log-console --vrrp -f '${folderPlace}/config' ${pidFiles} &
keepalived=$!
trap 'kill -HUP $keepalived' HUP
while kill -0 $keepalived 2>/dev/null; do
  before=$failed; look
  [ $failed = $before ] || echo $failed >serves
  case $(</proc/net/fib_trie) in
    *"-- ${vrrpAddress}"$'\n'*) now=MASTER;;
    *) [ $failed = 0 ] && now=BACKUP || now=FAULT;;
  esac
  if [ "$now" != "$role" ]; then
    [ $now = MASTER ] && nsenter --net=/run/netns/$(cat ${otherFile}) ip address del ${own} dev ${insideBalancer} 2>/dev/null
    echo $now >${roleFile}.part && mv ${roleFile}.part ${roleFile}
    role=$now
  fi
  sleep 0.5
done
exit 1
`
