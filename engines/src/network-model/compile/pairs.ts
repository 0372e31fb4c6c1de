import { bare, readCidr, versionOf } from '../addresses'
import { insideBalancer, towardsOther } from '../names'
import type { WantedBalancer } from '../wanted-balancers'
import { isPair, vrrpAddress } from './balancers'
import type { PairPlan } from './plan'

/*
 * What the keepalived of one of a pair reads, and the program that runs it: an ordinary user's keepalived cannot start programs by
 * itself. Both are asked to be alike: whoever has the address keeps it until it fails. Its HAProxy is looked at twice a second, and
 * the other one is missed after two seconds.
 */

/** A port of the namespace itself. */
export const alivePort = 65534
export const roleFile = 'role'
/** Names the namespace of the other one. */
export const otherFile = 'other'
/** Stands for the folder of the process. */
export const folderPlace = '%FOLDER%'
/** Stands for the command that runs keepalived. */
export const keepalivedPlace = '%KEEPALIVED%'
/** Stands for what gives a folder to the user that keepalived is. */
export const ownerPlace = '%OWNER%'
export const pairCommand = 'carry'

const advertSeconds = 0.5
/** Also of the parts that do not run: keepalived 2.3 does not start where it cannot write them all, and its own places are root's. */
const pidFiles = Object.entries({ p: 'pid', r: 'vrrp.pid', c: 'checkers.pid', b: 'bfd.pid' })
  .map(([option, name]) => `-${option} '${folderPlace}/own/${name}'`)
  .join(' ')

/** Of the kernel's routes: who made them (rtnetlink's `RTPROT_KEEPALIVED`). */
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
    // else the balancer would not send by it
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
 * Runs keepalived, tells it whether HAProxy serves, and writes down who has the address. Whoever gets it takes it from the other
 * one, whose keepalived may have been killed and could not give it back; one that starts leaves what such a keepalived had to
 * whoever takes it, and takes away what is left after a while: its addresses and its way.
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
