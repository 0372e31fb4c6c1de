import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect } from 'vitest'
import { testOn } from '../../../../tools/lib/vitest/host-features'
import { openQemu } from './qemu'

const test = testOn('QEMU')
const folder = mkdtempSync(join(tmpdir(), 'mainstay-probe-'))
// a server that runs as root uses another user for machines
chmodSync(folder, 0o777)
afterAll(() => rmSync(folder, { recursive: true }))
const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

test('retries if QEMU fails once to report its version and once to run a guest', { tags: 'all' }, async () => {
  const emulator = join(folder, 'emulator')
  writeFileSync(
    emulator,
    `#!/bin/sh
case "$*" in --version) n=version;; *qmp*) n=guest;; esac
[ -n "$n" ] && [ ! -e "${folder}/$n" ] && { echo >"${folder}/$n"; echo 'Resource temporarily unavailable' >&2; exit 1; }
exec qemu-system-x86_64 "$@"
`,
    { mode: 0o755 },
  )
  const data = mkdtempSync(join(folder, 'data-'))
  const opened = await openQemu({ folder: data, log, programs: { emulator } })
  expect('missing' in opened ? opened.advice : opened.kind).toBe('qemu')
  if (!('missing' in opened)) await opened.close()
  expect(['version', 'guest'].map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(['\n', '\n'])
})
