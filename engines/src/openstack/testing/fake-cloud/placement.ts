import type { FakeCloud, Reply } from './cloud'

export interface FakePlacement {
  /** All known traits. */
  traits: Set<string>
  /** Nodes by ID; each change to their traits increments the generation. */
  nodes: Map<string, { host: string; state: string; traits: string[]; generation: number }>
  /** Metadata of aggregates. */
  aggregates: Record<string, string>[]
  /** Called before the traits of a node are written. */
  beforeWrite: (id: string) => void
}

const refused = (status: number, detail: string): Reply => ({
  status,
  body: { errors: [{ status, title: status === 409 ? 'Conflict' : 'Not Found', detail }] },
})

/** Creates a fake placement service with traits, and the nodes and aggregates of the compute service. */
export function fakePlacement(cloud: FakeCloud): FakePlacement {
  const fake: FakePlacement = {
    traits: new Set(['HW_CPU_X86_AVX']),
    nodes: new Map(),
    aggregates: [],
    beforeWrite: () => undefined,
  }
  const { traits, nodes } = fake
  const isCarried = (trait: string) => [...nodes.values()].some((node) => node.traits.includes(trait))

  cloud.on('placement', 'GET', '/traits', ({ query }) => {
    const [, how, value = ''] = /^(\w+):(.*)$/.exec(query.get('name') ?? '') ?? []
    const isNamed = (trait: string) => (how === 'in' ? value.split(',').includes(trait) : trait.startsWith(value))
    const isMeant = (trait: string) => query.get('associated') !== 'true' || isCarried(trait)
    return { body: { traits: [...traits].filter((trait) => isNamed(trait) && isMeant(trait)) } }
  })
  cloud.on('placement', 'PUT', '/traits/:name', ({ params }) => {
    traits.add(params['name']!)
    return { status: 201 }
  })
  cloud.on('placement', 'DELETE', '/traits/:name', ({ params }) => {
    const name = params['name']!
    if (isCarried(name)) return refused(409, `The trait ${name} is in use by a resource provider.`)
    return traits.delete(name) ? { status: 204 } : refused(404, `No trait named ${name}`)
  })
  cloud.on('placement', 'GET', '/resource_providers', ({ query }) => {
    const wanted = query.get('required') ?? ''
    const found = [...nodes].filter(([, node]) => node.traits.includes(wanted))
    return { body: { resource_providers: found.map(([uuid]) => ({ uuid })) } }
  })
  const traitsOf = (id: string): Reply => {
    const node = nodes.get(id)
    if (!node) return refused(404, `No resource provider with uuid ${id} found`)
    return { body: { traits: node.traits, resource_provider_generation: node.generation } }
  }
  cloud.on('placement', 'GET', '/resource_providers/:id/traits', ({ params }) => traitsOf(params['id']!))
  cloud.on('placement', 'PUT', '/resource_providers/:id/traits', ({ params, body }) => {
    const id = params['id']!
    const wanted = body as { traits: string[]; resource_provider_generation: number }
    const node = nodes.get(id)
    fake.beforeWrite(id)
    if (node && node.generation !== wanted.resource_provider_generation)
      return refused(409, 'Resource provider generation conflict')
    if (node) Object.assign(node, { traits: wanted.traits, generation: node.generation + 1 })
    return traitsOf(id)
  })

  const hypervisor = (id: string) => {
    const { host, state } = nodes.get(id)!
    return {
      ...{ id, hypervisor_hostname: `${host}.example`, hypervisor_type: 'QEMU', host_ip: '192.0.2.7' },
      ...{ state, status: 'enabled', service: { id: 's', host, disabled_reason: null } },
    }
  }
  cloud.on('compute', 'GET', '/os-hypervisors/:id', ({ params }) =>
    nodes.has(params['id']!)
      ? { body: { hypervisor: hypervisor(params['id']!) } }
      : { status: 404, body: { itemNotFound: { code: 404, message: 'Compute host could not be found.' } } },
  )
  cloud.on('compute', 'GET', '/os-hypervisors/detail', () => ({
    body: { hypervisors: [...nodes.keys()].map(hypervisor) },
  }))
  cloud.on('compute', 'GET', '/os-aggregates', () => ({
    body: { aggregates: fake.aggregates.map((metadata) => ({ metadata })) },
  }))
  return fake
}
