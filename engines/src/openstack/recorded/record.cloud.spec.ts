import { writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { cloudAccess } from '../testing/cloud-access'
import { openRecorder, openReplay, type Exchange } from '../testing/recorded'
import { makeRecordedWorld } from '../testing/recorded-world'
import { sweep } from '../testing/sweep'
import { fixturePrefix, prepareCloudFixture, type CloudFixture } from '../testing/cloud-fixture'
import type { CloudAccess } from '../testing/plain-client'
import { readKind, readPeople, recordedReaders, recordedRun } from './reading-kinds'

/*
 * `npm run test:openstack -- --record` updates the recordings of the cloud's responses in the files next to this one.
 * Review the changes before committing them.
 */
const here = path.dirname(fileURLToPath(import.meta.url))
const guest = process.env['MAINSTAY_GUEST_IMAGE'] ?? path.resolve('.cache/guest/tiny.qcow2')
let fixture: CloudFixture

/** Removes objects of other users from the recording. */
function withoutOthers(exchanges: Exchange[]): Exchange[] {
  const mine = new Set([fixture.ours.projectId, fixture.operator.projectId])
  const people = new Set([fixture.ours.userId, fixture.operator.userId])
  const isKept = (row: Record<string, unknown>): boolean => {
    const owner = row['project_id'] ?? row['tenant_id'] ?? row['owner'] ?? row['os-vol-tenant-attr:tenant_id']
    if (typeof owner === 'string' && owner !== '') return mine.has(owner)
    if ('password_expires_at' in row) return people.has(row['id'] as string)
    return true
  }
  return exchanges.map((one) => ({
    ...one,
    body: Object.fromEntries(
      Object.entries((one.body ?? {}) as Record<string, unknown>).map(([name, value]) => [
        name,
        Array.isArray(value) && typeof value[0] === 'object' ? value.filter(isKept) : value,
      ]),
    ),
  }))
}

/** Reads through a recorder, then replays the recording and keeps only the responses that were used. */
async function record(name: string, read: (access: CloudAccess) => Promise<unknown>): Promise<void> {
  const access = cloudAccess(process.env)
  const recorder = await openRecorder(access.authUrl)
  onTestFinished(recorder.close)
  await read({ ...access, authUrl: recorder.authUrl })
  const replay = await openReplay(withoutOthers(recorder.take()))
  onTestFinished(replay.close)
  await read({ ...access, authUrl: replay.authUrl })
  expect(replay.missed).toEqual([])
  const text = JSON.stringify(replay.used, null, 1).replaceAll(new RegExp(`\\b${hostname()}\\b`, 'g'), 'node-1')
  writeFileSync(path.join(here, `${name}.json`), `${text}\n`)
}

describe.skipIf(!process.env['MAINSTAY_RECORD'])('recording a cloud', () => {
  const takeAway = () => sweep(cloudAccess(process.env), `${fixturePrefix}${recordedRun}`)
  beforeAll(async () => {
    await takeAway()
    fixture = await prepareCloudFixture(cloudAccess(process.env), recordedRun)
    await makeRecordedWorld(fixture, guest)
  }, 900_000)
  afterAll(takeAway, 600_000)

  test.each(recordedReaders.map((reader) => [reader.kind, reader] as const))('records %s', async (kind, reader) => {
    await record(kind, (access) => readKind(access, reader))
  })

  test('records users, projects and domains', async () => {
    await record('people', (access) => readPeople(access, fixture.ours.userId, fixture.ours.projectId))
  })
})
