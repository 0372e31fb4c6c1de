import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Cast } from '../testing/personas'
import { testDatabase } from '../testing/postgres'
import { startServer } from '../testing/start-server'

const nobody: Cast = { domains: {}, projects: {}, people: {} as Cast['people'] }
/** A cloud that is away; nothing of it is asked before the index is. */
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

it('the records of this machine are not given to a cloud', async () => {
  await (await onThisMachine()).close()
  await expect(onACloud()).rejects.toThrow('belong to the engine of one machine (embedded), whose things would be lost')
  await (await onThisMachine()).close()
})

it('also where an older server wrote them, which did not say whose they are', async () => {
  const server = await onThisMachine()
  await server.sql.query('drop table kind_source')
  await server.sql.query("delete from migration where name = '0052-kind-sources'")
  await server.close()
  await expect(onACloud()).rejects.toThrow('belong to the engine of one machine (embedded), whose things would be lost')
})

it('what follows a cloud is not taken for records of this machine', async () => {
  await (await onACloud()).close()
  await expect(onThisMachine()).rejects.toThrow('belong to a cloud (openstack:127.0.0.1:9)')
  await (await onACloud()).close()
})
