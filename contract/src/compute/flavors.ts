import * as z from 'zod'
import { create, endpoints, read, remove } from '../core/endpoint'
import { kind } from '../core/kind'
import { isVisible, NOT_VISIBLE, Time } from '../core/names'
import { page, PageQuery } from '../core/paging'

/** Processors and memory of an instance. Flavors never change; a changed one is another one. */
export const Flavor = z.object({
  id: z.string(),
  name: z.string(),
  vcpus: z.number().int(),
  /** MiB. */
  ram: z.number().int(),
  /** MiB. */
  swap: z.number().int(),
  is_public: z.boolean(),
  extra_specs: z.record(z.string(), z.string()),
  /** Null where the cloud does not tell. */
  created_at: Time.nullable(),
})
export type Flavor = z.infer<typeof Flavor>

export const FlavorDraft = z.strictObject({
  // "2xlarge" is a flavor's name everywhere, so the rule that names start with a letter does not hold here.
  name: z
    .string()
    .min(2, 'Use at least 2 characters')
    .max(255, 'Use at most 255 characters')
    .regex(isVisible, NOT_VISIBLE),
  vcpus: z.number().int().min(1, 'Use at least 1').max(240, 'Use at most 240'),
  ram: z
    .number()
    .int()
    .min(64, 'Use at least 64 MiB')
    .max(1024 * 1024, 'Use at most 1 TiB'),
  swap: z
    .number()
    .int()
    .min(0)
    .max(1024 * 1024)
    .default(0),
})
export type FlavorDraft = z.infer<typeof FlavorDraft>

export const flavorKind = kind({
  name: 'flavor',
  entity: Flavor,
  // one that is not for everybody is seen by operators only
  visibility: 'project',
  shared: { path: 'is_public', equals: true },
  filters: {
    id: { path: 'id', type: 'id' },
    name: { path: 'name', type: 'text' },
    vcpus: { path: 'vcpus', type: 'number' },
    ram: { path: 'ram', type: 'number' },
  },
  sortKeys: {
    name: { path: 'name', type: 'text' },
    vcpus: { path: 'vcpus', type: 'number' },
    ram: { path: 'ram', type: 'number' },
    created_at: { path: 'created_at', type: 'time' },
  },
  defaultSort: 'ram:asc',
  permissions: { collection: 'compute_flavors', item: 'compute_flavor' },
})

const base = '/api/v2/compute/flavors'
export const flavors = endpoints({
  list: {
    verb: 'GET',
    path: base,
    needs: read('compute_flavors'),
    summary: 'List flavors',
    query: PageQuery,
    reply: page(Flavor),
  },
  create: {
    verb: 'POST',
    path: base,
    needs: create('compute_flavors'),
    summary: 'Create a flavor',
    body: FlavorDraft,
    status: 201,
    reply: Flavor,
  },
  view: { verb: 'GET', path: `${base}/:id`, needs: read('compute_flavor'), summary: 'Read a flavor', reply: Flavor },
  delete: {
    verb: 'DELETE',
    path: `${base}/:id`,
    needs: remove('compute_flavor'),
    summary: 'Delete a flavor; instances keep its values',
    reply: z.void(),
  },
})
