import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newDataFolder } from '../testing/data-folder'
import { silentLogger } from '../testing/silent-logger'
import { openStore } from './store'

let folder: string
let holder: ChildProcess
beforeEach(async () => {
  folder = await newDataFolder()
  // a server in another process, which holds the folder
  const program = fileURLToPath(new URL('../testing/postgres/holder.ts', import.meta.url))
  holder = spawn(process.execPath, ['--import', 'tsx', program, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(holder.stdout!, 'data')
})
afterEach(async () => {
  const postmaster = await readFile(path.join(folder, 'postgres', 'postmaster.pid'), 'utf8')
  holder.kill('SIGKILL')
  // its database would otherwise keep running
  process.kill(Number(postmaster.split('\n')[0]), 'SIGQUIT')
  await rm(folder, { recursive: true, force: true })
})

test('refuses a second server on the same folder and gives the reason', async () => {
  const open = openStore({ databaseUrl: null, dataFolder: folder, log: silentLogger })
  await expect(open).rejects.toThrow(new RegExp(`Another server \\(process ${holder.pid}\\) is using the folder`))
})
