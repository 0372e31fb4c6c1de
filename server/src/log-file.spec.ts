import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LOG_FILES, openLogFile } from './log-file'

let folder: string
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'mainstay-log-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const line = (number: number) => `{"n":"${String(number).padStart(4, '0')}"}\n`

it('keeps five files of limited size, with the newest lines in server.log', () => {
  const log = openLogFile(folder, 100)
  for (let number = 0; number < 200; number++) log.write(line(number))
  log.close()
  const files = readdirSync(folder).toSorted()
  expect(files).toEqual(['server.log', 'server.log.1', 'server.log.2', 'server.log.3', 'server.log.4'])
  expect(files).toHaveLength(LOG_FILES)
  for (const file of files) expect(statSync(path.join(folder, file)).size).toBeLessThanOrEqual(100)
  const kept = files.toReversed().flatMap((file) => readFileSync(path.join(folder, file), 'utf8').split(/(?<=\n)/))
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, at) => line(200 - kept.length + at)))
  expect(statSync(log.path).mode & 0o777).toBe(0o600)
})

it('appends to the file from an earlier run and returns its last lines', () => {
  const first = openLogFile(folder)
  for (let number = 0; number < 10; number++) first.write(line(number))
  first.close()
  const second = openLogFile(folder)
  expect(second.earlier(1000)).toHaveLength(10)
  // skips a line that is cut off by the limit
  expect(second.earlier(line(0).length * 2 + 3)).toEqual([line(8), line(9)])
  second.write(line(10))
  second.close()
  expect(readFileSync(second.path, 'utf8').split('\n')).toHaveLength(12)
})

it('drops lines while the files cannot be rotated, stays within the size limit, and reports the failure once', () => {
  const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const log = openLogFile(folder, 100)
  writeFileSync(path.join(folder, 'server.log.3'), '')
  mkdirSync(path.join(folder, 'server.log.4', 'in-the-way'), { recursive: true })
  for (let number = 0; number < 20; number++) log.write(line(number))
  expect(statSync(log.path).size).toBeLessThanOrEqual(100)
  expect(told.mock.calls).toEqual([[expect.stringContaining(`The log ${log.path} cannot be written`)]])
  told.mockRestore()
  rmSync(path.join(folder, 'server.log.4'), { recursive: true })
  log.write(line(20))
  log.close()
  expect(readFileSync(log.path, 'utf8')).toBe(line(20))
})
