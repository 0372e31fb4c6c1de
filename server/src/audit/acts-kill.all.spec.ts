import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { GiB } from '@mainstay/contract/core/bytes'
import { volumes } from '@mainstay/contract/storage/volumes'
import { expect, test } from 'vitest'
import { apiClient, signIn } from '../testing/api-client'
import { testDatabase, testPool } from '../testing/postgres/postgres'
import { ADMIN_PASSWORD, removeData, startProgram } from '../testing/server-program'

const draft = (name: string) => ({ name, size: GiB })

test('leaves no row or task without an audit log entry when the server is killed', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'mainstay-audit-'))
  const database = await testDatabase()
  const pool = testPool(database, 2)
  const acknowledged = new Set<string>()
  try {
    const program = await startProgram({ folder, environment: { DATABASE_URL: database.url } })
    const member = await signIn(program.url, { username: 'admin', password: ADMIN_PASSWORD, project: 'demo' })
    const act = async (at: number) => {
      const api = apiClient(program.url, member.token)
      for (let made = 1; ; made++) {
        const { id } = await api.call(volumes.create, { body: draft(`r-${at}-${made}`) })
        acknowledged.add(id)
        // the update may be refused while the volume is being created
        await api.fetch(volumes.update, { params: { id }, body: { name: `renamed-${id}` } })
      }
    }
    const acting = Array.from({ length: 6 }, (_, at) => act(at).catch(() => undefined))
    const late = performance.now() + 40_000
    while (acknowledged.size < 20 && performance.now() < late) await pause(5)
    await program.kill()
    await Promise.all(acting)
    expect(acknowledged.size).toBeGreaterThanOrEqual(20)
    const { rows } = await pool.query<{ id: string; what: string }>(
      `select id, 'volume' as what from resource where kind = 'volume'
          and not exists (select from audit where action = 'volume.create' and subject_id = resource.id)
        union all select id, 'new name of a volume' from resource where kind = 'volume' and name like 'renamed-%'
          and not exists (select from audit where action = 'volume.update' and subject_id = resource.id)
        union all select id, 'task' from resource where kind = 'task'
          and not exists (select from audit where request_id = body ->> 'request_id')`,
    )
    expect(rows).toEqual([])
    const lines = await pool.query<{ subject_id: string }>(
      "select subject_id from audit where action = 'volume.create' and result = 'success'",
    )
    const known = new Set(lines.rows.map((line) => line.subject_id))
    expect([...acknowledged].filter((id) => !known.has(id))).toEqual([])
    // there is no entry for a volume that does not exist
    const there = await pool.query<{ id: string }>("select id from resource where kind = 'volume'")
    const made = new Set(there.rows.map(({ id }) => id))
    expect([...known].filter((id) => !made.has(id))).toEqual([])
  } finally {
    await pool.end()
    await removeData(folder)
    await database.drop()
  }
}, 120_000)
