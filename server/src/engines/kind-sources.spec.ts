import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { EngineOffer } from '@mainstay/engines/ports/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sqlOf } from '../session/sql'
import { openStore } from '../store/store'
import type { Personas } from '../testing/personas'
import { testDatabase } from '../testing/postgres/postgres'
import { silentLogger } from '../testing/silent-logger'
import { startServer } from '../testing/start-server'
import { claimKinds } from './kind-sources'

const nobody: Personas = { domains: {}, projects: {}, people: {} as Personas['people'] }
/** An unreachable cloud: the server does not connect to it before the index is ready. */
const cloud = {
  MAINSTAY_ENGINE: 'openstack',
  MAINSTAY_WORLD: '',
  MAINSTAY_HYPERVISOR: '',
  OS_AUTH_URL: 'http://127.0.0.1:9/v3',
  OS_USER_ID: 'service',
  OS_PASSWORD: 'secret',
  OS_PROJECT_ID: 'admin',
}

let database: Awaited<ReturnType<typeof testDatabase>>
let folder: string
beforeEach(async () => {
  database = await testDatabase()
  folder = await mkdtemp(path.join(tmpdir(), 'mainstay-owner-'))
})
afterEach(async () => {
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})
const keep = () => ({ folder, databaseUrl: database.url })
const onThisMachine = () => startServer({ keep: keep() })
const onACloud = () => startServer({ keep: keep(), environment: cloud, cast: nobody })

it('does not let a cloud take over the embedded engine’s records', async () => {
  await (await onThisMachine()).close()
  await expect(onACloud()).rejects.toThrow('belong to the engine of one machine (embedded), and its data would be lost')
  await (await onThisMachine()).close()
})

it('does not let the embedded engine take over a cloud’s rows', { tags: 'all' }, async () => {
  await (await onACloud()).close()
  await expect(onThisMachine()).rejects.toThrow('belong to a cloud (openstack:127.0.0.1:9)')
  await (await onACloud()).close()
})

describe('claimKinds', () => {
  const engine = (source: string, view: 'record' | 'feed', ...kinds: string[]) => ({
    offer: { source } as EngineOffer,
    kinds: kinds.map((kind) => ({ kind, view, area: 'storage', part: 'volumes' }) as const),
  })
  async function onDatabase(
    work: (claim: (...engines: ReturnType<typeof engine>[]) => Promise<string[]>) => Promise<void>,
  ) {
    const store = await openStore({ databaseUrl: database.url, dataFolder: folder, log: silentLogger })
    const sql = sqlOf(store.db)
    try {
      await work(async (...engines) => {
        await claimKinds(sql, engines, ['task'])
        const rows = await sql.query<Record<string, string>>('select * from kind_source order by kind, source')
        return rows.map(({ kind, source, view }) => `${kind} ${source} ${view}`)
      })
    } finally {
      await store.close()
    }
  }
  const tasks = 'task server record'

  it('allows several clouds for one kind, and lets one cloud take over from another', () =>
    onDatabase(async (claim) => {
      const [paris, rome] = [engine('openstack:paris', 'feed', 'volume'), engine('openstack:rome', 'feed', 'volume')]
      expect(await claim(paris, rome)).toEqual([tasks, 'volume openstack:paris feed', 'volume openstack:rome feed'])
      expect(await claim(paris, rome)).toHaveLength(3)
      expect(await claim(rome)).toEqual([tasks, 'volume openstack:rome feed'])
      expect(await claim(paris)).toEqual([tasks, 'volume openstack:paris feed'])
      await expect(claim(engine('embedded', 'record', 'volume'))).rejects.toThrow(
        'volume of this database belong to a cloud (openstack:paris)',
      )
    }))

  it('keeps the claims of an engine that is not configured, and refuses a cloud that claims its kinds', () =>
    onDatabase(async (claim) => {
      const machine = engine('embedded', 'record', 'volume')
      expect(await claim(machine)).toEqual([tasks, 'volume embedded record'])
      expect(await claim(engine('openstack:rome', 'feed', 'server'))).toEqual([
        'server openstack:rome feed',
        tasks,
        'volume embedded record',
      ])
      await expect(claim(engine('openstack:rome', 'feed', 'server', 'volume'))).rejects.toThrow(
        'volume of this database belong to the engine of one machine (embedded)',
      )
      expect(await claim(machine)).toContain('volume embedded record')
    }))

  it('refuses an engine that claims a kind owned by the server', () =>
    onDatabase(async (claim) => {
      expect(await claim()).toEqual([tasks])
      for (const view of ['record', 'feed'] as const)
        await expect(claim(engine('other', view, 'task'))).rejects.toThrow('task of this database belong to')
    }))
})
