import { mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it } from 'vitest'
import { removeKeys, sweepKeys, writeKeys } from './key-folders'

it('removes the keys of servers that were killed, and no others', async () => {
  const place = await mkdtemp(join(tmpdir(), 'keys-'))
  const gone = 2 ** 22 + 1
  const [dead, own, other, old] = [
    `mainstay-ssh-${gone}-a`,
    `mainstay-ssh-${process.pid}-b`,
    'other-1',
    'mainstay-ssh-c',
  ]
  const live = `mainstay-ssh-${process.ppid}-d`
  for (const name of [dead, own, other, old, live]) await mkdir(join(place, name))
  await utimes(join(place, old), 0, 0)
  await sweepKeys(place)
  expect((await readdir(place)).toSorted()).toEqual([live, other].toSorted())
  await rm(place, { recursive: true })

  const folder = await writeKeys({ privateKey: 'key', hostKey: 'ssh-ed25519 AAAA' })
  await sweepKeys()
  expect((await stat(folder)).isDirectory()).toBe(true)
  await removeKeys(folder)
})
