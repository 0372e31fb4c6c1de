import { expect, test } from 'vitest'
import { compile } from '../../../network-model/compile/compile'
import { assignNumbers, noNumbers } from '../../../network-model/compile/numbers'
import { networkSpaceOf, routerSpaceOf } from '../../../network-model/names'
import { networkOf, routerOf, wantedOf } from '../../../network-model/testing/wanted-examples'
import { answerOf } from './answer'
import { causeReporter } from './tell-cause'

test('people are told what failed and why in known words, else an ID under which the log has the cause', () => {
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
    'It could not be made on this host: The next hop of a static route cannot be reached',
  )
  const [cause] = logged
  expect(cause).toMatchObject({ cause: raw })
  for (const told of [routers.get(other.id), networks.get(network.id)])
    expect(told).toBe(
      `Its addresses and names are not given out; your administrator finds the cause in the log under ID ${cause!.causeId}`,
    )
  // a look that finds the same again changes no row and fills no log
  expect(answer().routers).toEqual(routers)
  expect(logged).toHaveLength(1)
})
