import { expect, test } from 'vitest'
import { compile } from '../../../network-model/compile/compile'
import { assignNumbers, noNumbers } from '../../../network-model/compile/numbers'
import { networkSpaceOf, routerSpaceOf } from '../../../network-model/names'
import { networkOf, routerOf, wantedOf } from '../../../network-model/testing/wanted-examples'
import { answerOf } from './answer'
import { causeReporter } from './tell-cause'

test('reports the reason for a fault if it is known, otherwise an ID that refers to the logged cause', () => {
  const network = networkOf(['10.0.0.0/24'])
  const [one, other] = [routerOf([network], null), routerOf([network], null)]
  const wanted = wantedOf({ networks: [network], routers: [one, other] })
  const plan = compile(wanted, assignNumbers(wanted, noNumbers))
  const logged: { causeId: string; cause: string }[] = []
  const tell = causeReporter({ error: (details) => void logged.push(details as (typeof logged)[number]) })
  const hop = 'Error: Nexthop has invalid gateway. (route replace 10.80.0.0/25 via 10.80.0.9 dev q50309f62cd table 254)'
  const raw = 'carry: line 12: kill: (26623) - No such process'
  const found = {
    faults: [{ owner: routerSpaceOf(one.id), space: routerSpaceOf(one.id), message: hop }],
    services: new Map([
      [routerSpaceOf(other.id), raw],
      [networkSpaceOf(network.id), raw],
    ]),
    ...{ vpns: new Map(), unpublished: new Map() },
  }
  const answer = () => answerOf(wanted, plan, found, { unchanged: false, tell })
  const { routers, networks } = answer()
  expect(routers.get(one.id)).toBe(
    'It could not be created on this host: The next hop of a static route cannot be reached',
  )
  const [cause] = logged
  expect(cause).toMatchObject({ cause: raw })
  for (const told of [routers.get(other.id), networks.get(network.id)])
    expect(told).toBe(
      `DHCP and DNS are not available. Your administrator can find the cause in the log under ID ${cause!.causeId}`,
    )
  // a recurring fault changes no row and is not logged again
  expect(answer().routers).toEqual(routers)
  expect(logged).toHaveLength(1)
})
