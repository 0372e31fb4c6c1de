import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { crud } from './crud'
import { fillPath, parentNames, type GivenParams } from './endpoint'
import type { FieldSpec } from './fields'
import { kind } from './kind'
import { Id, Time } from './names'

const Balancer = z.object({
  id: z.string(),
  name: z.string(),
  status: z.string(),
  mode: z.enum(['l4', 'l7']).nullable(),
  size: z.number().int().default(1),
  is_public: z.boolean(),
  ip_version: z.union([z.literal(4), z.literal(6)]),
  tags: z.array(z.string()).optional(),
  flavor: z.object({ vcpus: z.number(), id: z.string() }),
  listeners: z.array(z.object({ port: z.number() })),
  network_id: Id,
  created_at: Time.nullable(),
})
const BalancerDraft = z.strictObject({ name: z.string() })
const declared = {
  name: 'balancer',
  entity: Balancer,
  visibility: 'project',
  permissions: { collection: 'compute_load_balancers', item: 'compute_load_balancer' },
} as const

describe('kind', () => {
  it('infers filter types from the entity’s schema', () => {
    const { filters } = kind({
      ...declared,
      filters: [
        ...(['id', 'name', 'mode', 'size', 'is_public', 'ip_version', 'tags', 'network_id', 'created_at'] as const),
        { name: 'status', type: 'id' },
        { name: 'vcpus', path: 'flavor.vcpus' },
        { name: 'flavor_id', path: 'flavor.id' },
        { name: 'ports', path: 'derived.ports', type: 'tags' },
      ],
      sortKeys: ['name'],
    })
    expect(Object.entries(filters).map(([name, { path, type }]) => `${name}: ${type} at ${path}`)).toEqual([
      'id: id at id',
      'name: text at name',
      'mode: id at mode',
      'size: number at size',
      'is_public: boolean at is_public',
      'ip_version: number at ip_version',
      'tags: tags at tags',
      'network_id: id at network_id',
      'created_at: time at created_at',
      'status: id at status',
      'vcpus: number at flavor.vcpus',
      'flavor_id: id at flavor.id',
      'ports: tags at derived.ports',
    ])
  })

  it('sorts enums as text', () => {
    const { sortKeys } = kind({ ...declared, filters: ['id'], sortKeys: ['name', 'mode', 'network_id'] })
    expect(Object.values(sortKeys).map(({ type }) => type)).toEqual(['text', 'text', 'id'])
  })

  it('refuses fields that the entity does not have, at compile time and at startup', () => {
    const specs: FieldSpec<z.output<typeof Balancer>>[] = [
      'name',
      { name: 'vcpus', path: 'flavor.vcpus' },
      // @ts-expect-error not a field of the entity
      'colour',
      // @ts-expect-error not a path of the entity
      { name: 'disk', path: 'flavor.disk' },
      // @ts-expect-error arrays of objects cannot be compared
      'listeners',
      // @ts-expect-error derived fields require an explicit type
      { name: 'ports', path: 'derived.ports' },
    ]
    expect(specs).toHaveLength(6)
    const colour = ['id', 'colour'] as unknown as ['id']
    expect(() => kind({ ...declared, filters: colour, sortKeys: ['name'] })).toThrow('"colour"')
    // @ts-expect-error the default sort must be one of the sort keys
    kind({ ...declared, filters: ['id'], sortKeys: ['name'], defaultSort: 'size:asc' })
  })
})

describe('kind with a parent', () => {
  const settings = { filters: ['id'], sortKeys: ['name'] } as const
  const networks = kind({ ...declared, name: 'network', ...settings })
  const nested = kind({ ...declared, ...settings, parent: { kind: networks, field: 'network_id' } })
  const called = ['a balancer', 'balancers'] as const

  it('can be filtered by its parent without declaring the filter', () => {
    expect(nested.filters).toMatchObject({ network_id: { path: 'network_id', type: 'id' } })
    // @ts-expect-error the parent field must be a field of the entity
    kind({ ...declared, ...settings, parent: { kind: networks, field: 'node_id' } })
  })

  it('refuses calls whose path does not name the parent', () => {
    const path = '/api/v2/networks/:network_id/balancers'
    expect(crud(nested, { path, called }).view.path).toBe(`${path}/:id`)
    const named = { path: '/api/v2/nodes/:node_id/balancers', called } as const
    expect(() => crud(nested, named)).toThrow('network_id')
    expect(() => crud(nested, { path: '/api/v2/balancers', called })).toThrow('network_id')
    expect(() => crud(networks, named)).toThrow('none')
  })
})

describe('parents in a path', () => {
  const path = '/api/v2/nodes/:node_id/disks/:id/partitions/:partition_id'

  it('are the `_id` parameters that are followed by another segment', () => {
    expect(parentNames(path)).toEqual(['node_id'])
    expect(parentNames('/api/v2/a/:a_id/b/:b_id/c')).toEqual(['a_id', 'b_id'])
    expect(parentNames('/api/v2/s3/:scope/users/:id')).toEqual([])
  })

  it('are optional for clients and default to any, unlike other parameters', () => {
    const rest = { id: 'd/1', partition_id: '2' }
    expect(fillPath(path, rest)).toBe('/api/v2/nodes/-/disks/d%2F1/partitions/2')
    expect(fillPath(path, { ...rest, node_id: 'n' })).toBe('/api/v2/nodes/n/disks/d%2F1/partitions/2')
    expect(() => fillPath(path, { ...rest, node_id: '' })).toThrow('"node_id"')
    expect(() => fillPath(path, { id: 'd' })).toThrow('"partition_id"')
    type Given = GivenParams<{ verb: 'GET'; path: typeof path; needs: 'public'; summary: ''; reply: never }>
    const given: Given[] = [rest, { ...rest, node_id: 'n' }]
    // @ts-expect-error the row ID is required
    const lacking: Given = { node_id: 'n' }
    expect([...given, lacking]).toHaveLength(3)
  })
})

describe('standard calls of a kind', () => {
  const balancers = kind({ ...declared, filters: ['id'], sortKeys: ['name'] })
  const path = '/api/v2/compute/balancers'
  const called = ['a load balancer', 'load balancers'] as const

  it('are only list and view by default', () => {
    const calls = crud(balancers, { path, called })
    expect(Object.keys(calls)).toEqual(['list', 'view'])
    expect(calls.list).toMatchObject({ verb: 'GET', path, summary: 'List load balancers' })
    expect(calls.view).toMatchObject({ verb: 'GET', path: `${path}/:id`, summary: 'Get a load balancer' })
    expect([calls.list.needs, calls.view.needs]).toEqual([
      { ability: 'read', resource: 'compute_load_balancers' },
      { ability: 'read', resource: 'compute_load_balancer' },
    ])
    // @ts-expect-error no delete call was requested
    expect(calls.delete).toBeUndefined()
  })

  it('include create, update and delete if requested, each with its permission', () => {
    const change = BalancerDraft.partial()
    const options = { path, called, draft: BalancerDraft, change, delete: true, deleteSeveral: true } as const
    const calls = crud(balancers, options)
    expect(Object.keys(calls)).toEqual(['list', 'create', 'view', 'update', 'delete', 'deleteSeveral'])
    expect(calls.deleteSeveral).toMatchObject({ verb: 'DELETE', path, needs: calls.delete.needs })
    expect(calls.create).toMatchObject({ verb: 'POST', path, body: BalancerDraft, reply: Balancer, status: 201 })
    expect(calls.update).toMatchObject({ verb: 'PATCH', path: `${path}/:id`, body: change, reply: Balancer })
    expect(calls.delete.reply).toBeInstanceOf(z.ZodVoid)
    expect([calls.create, calls.update, calls.delete].map(({ needs }) => `${needs.ability} ${needs.resource}`)).toEqual(
      ['create compute_load_balancers', 'update compute_load_balancer', 'delete compute_load_balancer'],
    )
  })

  it('have default summaries that can be overridden', () => {
    const summaries = { create: 'Ask for a load balancer', list: 'Look at them' }
    const { list, create, view } = crud(balancers, { path, called, draft: BalancerDraft, summaries })
    expect([list, create, view].map(({ summary }) => summary)).toEqual([
      'Look at them',
      'Ask for a load balancer',
      'Get a load balancer',
    ])
    expect(crud(balancers, { path, called, draft: BalancerDraft }).create.summary).toBe('Create a load balancer')
  })

  it('return 202 with the row in progress if a task does the work', () => {
    const options = { path, called, draft: BalancerDraft, delete: true, accepted: ['create', 'delete'] } as const
    const { create, delete: remove } = crud(balancers, options)
    expect(create).toMatchObject({ status: 202, reply: Balancer })
    expect(remove).toMatchObject({ status: 202, reply: Balancer })
  })
})
