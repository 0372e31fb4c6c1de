import { sql } from 'kysely'
import * as z from 'zod'
import { kind, type Kind } from '@mainstay/contract/core/kind'
import { Time } from '@mainstay/contract/core/names'
import { grantsOf } from '@mainstay/contract/permissions'
import type { Entity, Log } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import { allKinds } from '@mainstay/contract/resources'
import { columnsOf } from '../inventory/columns'
import { createInventory } from '../inventory/inventory'
import { inTransaction } from '../inventory/transaction'
import type { Inventory } from '../inventory/types'
import { openStore, type Store } from '../store/store'
import { testDatabase } from './postgres/postgres'
import { silentLogger } from './silent-logger'

export interface InventoryFixture {
  url: string
  store: Store
  inventory: Inventory
  /** Opens another server on the same database. */
  another(): Promise<{ store: Store; inventory: Inventory }>
  /** Closes the additional servers and empties the database. */
  clear(): Promise<void>
  close(): Promise<void>
}

/** Opens an inventory with its own database. */
export async function openInventoryFixture(
  kinds?: Record<string, Kind>,
  more: { log?: Log } = {},
): Promise<InventoryFixture> {
  const database = await testDatabase()
  const closers: (() => Promise<void>)[] = []
  const another = async (): Promise<{ store: Store; inventory: Inventory }> => {
    const store = await openStore({ databaseUrl: database.url, dataFolder: '/nowhere', log: silentLogger })
    const inventory = await createInventory({ store, log: silentLogger, ...(kinds ? { kinds } : {}), ...more })
    closers.push(async () => {
      inventory.close()
      await store.close()
    })
    return { store, inventory }
  }
  const first = await another()
  const rows = ['resource', ...Object.values(kinds ?? allKinds).map((it) => columnsOf(it).table), 'private_record']
  const logs = ['change', 'change_unnumbered', 'sight', 'source_read', 'engine_state', 'lease', 'job', 'deletion_lock']
  // with few rows, this is faster than truncating tables with many indexes
  const forget = [
    // starts by locking the row from which revisions are assigned, so that none is assigned in between
    ...['update revision set value = 0', 'update change_pruned set revision = 0'],
    ...[...rows, ...logs].map((table) => `delete from ${table}`),
  ]
  return {
    url: database.url,
    ...first,
    another,
    async clear() {
      for (const close of closers.splice(1)) await close()
      // the transaction is retried, because the background work of the store may conflict with it
      await inTransaction(first.store.db, async (db) => {
        for (const statement of forget) await sql.raw(statement).execute(db)
      })
    },
    async close() {
      for (const close of closers) await close()
      await database.drop()
    },
  }
}

const scopeBase = { user_name: 'somebody', request_id: 'spec' }
export const systemScope: Scope = {
  ...scopeBase,
  kind: 'system',
  user_id: 'root',
  domain_id: 'd1',
  project_id: 'admin',
  roles: ['admin'],
}
export const projectScope = (project: string, more: Partial<Scope> = {}): Scope => ({
  ...scopeBase,
  kind: 'project',
  user_id: 'u1',
  domain_id: 'd1',
  project_id: project,
  roles: ['project_member'],
  ...more,
})
export const grantsIn = ({ kind: scopeKind, roles }: Scope) => grantsOf(roles, scopeKind)

/** A kind with a field of every type, for testing features that all kinds share. */
export const thingKind = kind({
  name: 'thing',
  entity: z.object({
    id: z.string(),
    name: z.string(),
    status: z.string(),
    tags: z.array(z.string()),
    inner: z.object({ size: z.number(), secret: z.string() }),
    enabled: z.boolean(),
    public: z.boolean(),
    host: z.string(),
    note: z.string(),
    project_id: z.string(),
    created_at: Time,
  }),
  visibility: 'project',
  shared: { path: 'public', equals: true },
  status: 'status',
  filters: [
    'id',
    'name',
    { name: 'status', type: 'id' },
    'tags',
    { name: 'size', path: 'inner.size' },
    'enabled',
    { name: 'made', path: 'created_at' },
    { name: 'host', type: 'id' },
    { name: 'words', path: 'derived.words', type: 'tags' },
    'project_id',
  ],
  sortKeys: [
    'id',
    'name',
    { name: 'status', type: 'id' },
    { name: 'size', path: 'inner.size' },
    'enabled',
    { name: 'made', path: 'created_at' },
    'host',
  ],
  search: ['name', 'id', 'note'],
  systemOnly: ['host', 'inner.secret'],
  derive: { version: 1, from: ({ name }) => ({ words: String(name).split(' ') }) },
  permissions: { collection: 'compute_servers', item: 'compute_server' },
}) as unknown as Kind

/** A row of this kind. */
export const thing = (id: string, more: Record<string, unknown> = {}): Entity => ({
  id,
  name: `thing ${id}`,
  status: 'ACTIVE',
  tags: [],
  inner: { size: 1, secret: 'x' },
  enabled: true,
  public: false,
  host: 'node-1',
  note: '',
  project_id: 'p1',
  domain_id: 'd1',
  user_id: 'u1',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  ...more,
})
