import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach, expect } from 'vitest'
import { testOn } from '../../../../tools/lib/vitest/host-features'
import { findProgram } from '../../host/programs'
import { openBed, type Bed } from './testing/bed'

const test = testOn('networks')

/* Simulates hosts on which a program fails once or twice. The server runs as an ordinary user. */

let programs = ''
let bed: Bed | null = null
beforeEach(() => {
  programs = mkdtempSync(join(tmpdir(), 'mainstay-fake-'))
  chmodSync(programs, 0o777)
})
afterEach(async () => {
  await bed?.end()
  bed = null
  rmSync(programs, { recursive: true })
})

/** Installs a wrapper for a program, which runs `script` before the program itself. */
function precede(name: string, script: string): void {
  writeFileSync(join(programs, name), `#!/bin/sh\n${script}\nexec ${findProgram(name)} "$@"\n`, { mode: 0o755 })
}
/** Returns a shell condition that is true only for the first `runs` calls of a wrapper. */
const atFirst = (runs: number) => `echo >>"$0.runs"; [ $(wc -l <"$0.runs") -le ${runs} ]`

const open = async () =>
  (bed = await openBed({ rootless: true, host: ['env', `PATH=${programs}:${process.env['PATH']}`] }))

test('networking stays available when the kernel interrupts a dump during startup', async () => {
  const isList = 'case "$*" in *"route show table"*) ;; *) false;; esac'
  precede('ip', `${isList} && ${atFirst(1)} && { echo 'Dump terminated' >&2; exit 1; }`)
  const { calls } = await open()
  expect(await calls.probe()).toMatchObject({ available: true, missing: [] })
})

test('startup retries after a temporary failure', async () => {
  precede(
    'unshare',
    `${atFirst(2)} && { echo 'unshare: unshare failed: Resource temporarily unavailable' >&2; exit 1; }`,
  )
  const { calls } = await open()
  expect(await calls.probe()).toMatchObject({ available: true, missing: [] })
})
