import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { setUpDatabaseIn } from '../testing/data-folder'
import { removeData, spawnProgram } from '../testing/server-program'

/* Runs the server program with and without a terminal. */

let folder: string
beforeEach(async () => (folder = await mkdtemp(path.join(tmpdir(), 'mainstay-terminal-'))))
afterEach(() => removeData(folder))

/** Runs the program in a pseudoterminal. */
const onTerminal = ['sh', '-c', 'exec script -qefc "$*" /dev/null', 'sh']
const environment = { MAINSTAY_LOG_LEVEL: 'info', MAINSTAY_PROT: '1' }

async function startAndStop(through: readonly string[]): Promise<string> {
  await setUpDatabaseIn(folder)
  const { child, ended, says, said } = spawnProgram({ folder, through, environment })
  try {
    await says(/Next: open/, 60_000)
  } finally {
    child.kill('SIGTERM')
    await ended
  }
  return said()
}

test('on a terminal, shows addresses, next step and warnings, and logs to a file', async () => {
  const said = await startAndStop(onTerminal)
  expect(said).not.toContain('{"level"')
  expect(said).toMatch(/self-service +http:\/\/127\.0\.0\.1:\d+/)
  expect(said).toMatch(/virtual machines +are simulated/)
  expect(said).toMatch(/Next: open http:\/\/localhost:\d+, sign in as admin, and choose Create virtual machine\./)
  const warning = 'MAINSTAY_PROT is not a setting and is ignored. Did you mean MAINSTAY_PORT?'
  expect(said).toContain(warning)
  const file = path.join(folder, 'logs', 'server.log')
  expect(said).toMatch(new RegExp(`log +${file}`))
  const log = await readFile(file, 'utf8')
  expect(log).toContain(warning)
  expect(log).toMatch(/"msg":"stopping"/)
})

test('without a terminal, logs to standard output', { tags: 'all' }, async () => {
  const said = await startAndStop(['sh', '-c', 'exec "$@" 2>/dev/null', 'sh'])
  expect(said).toMatch(/\{"level":40,.*MAINSTAY_PROT is not a setting/)
  expect(said).toMatch(/self-service +http/)
})

test('exits with an error message if the data folder cannot be created', async () => {
  const { ended, said } = spawnProgram({ folder, environment: { MAINSTAY_DATA: '/proc/mainstay/data' } })
  expect(await ended).toEqual({ code: 2, signal: null })
  expect(said()).toBe(
    'The data folder /proc/mainstay/data cannot be created: /proc cannot hold folders. Choose another one with MAINSTAY_DATA.\n',
  )
})
