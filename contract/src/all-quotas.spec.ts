import { expect, test } from 'vitest'
import { allQuotas, countedIn, quotaNames } from './all-quotas'
import type { Quotas } from './compute/quotas'
import { allKinds } from './resources'

test('each quota counts either the rows of a kind or a number that the index sums', () => {
  for (const [name, { of, ...rest }] of Object.entries(allQuotas)) {
    const kind = allKinds[of]
    expect(kind, name).toBeDefined()
    const summed = [...Object.values({ ...kind!.filters, ...kind!.sortKeys }).map(({ path }) => path), ...kind!.sums]
    if ('sum' in rest) expect(summed, name).toContain(rest.sum)
  }
})

test('quotas for the same service are adjacent, even across areas', () => {
  const services = quotaNames.map((name) => allQuotas[name].at.split('.')[0])
  const runs = services.filter((service, place) => service !== services[place - 1])
  expect(runs).toEqual([...new Set(services)])
})

test("counted quotas are read from each quota's path, and are unlimited if the response has no value there", () => {
  const amount = (used: number) => ({ limit: 9, used })
  const all: Quotas = {
    compute: { instances: amount(1), cores: amount(2), ram: amount(3) },
    storage: { volumes: amount(4), storage_policies: { default: amount(5) }, volumes_backups: amount(17) },
    image: { images: amount(6), image_storage: amount(7) },
    network: {
      ...{ networks: amount(8), subnets: amount(9), ports: amount(10), routers: amount(11), floatingip: amount(12) },
      ...{ security_groups: amount(13), security_group_rules: amount(14), ipsec_site_connection: amount(16) },
    },
    k8saas: { cluster: amount(0) },
    lbaas: { loadbalancer: amount(15) },
    placement: {},
  }
  const used = Object.fromEntries(Object.entries(countedIn(all)).map(([name, amount]) => [name, amount.used]))
  expect(used).toEqual({
    ...{ instances: 1, vcpus: 2, ram: 3, volumes: 4, storage: 5, images: 6, image_storage: 7 },
    ...{ networks: 8, subnets: 9, ports: 10, routers: 11, floatingip: 12 },
    ...{
      security_groups: 13,
      security_group_rules: 14,
      loadbalancer: 15,
      ipsec_site_connection: 16,
      volumes_backups: 17,
    },
  })
  expect(countedIn({ ...all, storage: { ...all.storage, storage_policies: {} } }).storage).toEqual({
    limit: -1,
    used: 0,
  })
})
