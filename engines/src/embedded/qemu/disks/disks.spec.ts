import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needs } from '../../../../../tools/lib/vitest/host-features'
import type { Disks } from '../../hypervisor'
import { guestImage, openTestDisks, refusal } from '../testbed'

const mebibyte = 1024 ** 2

describe('a disk', { timeout: 240_000, ...needs('QEMU') }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'mainstay-disks-'))
  const at = (name: string) => join(folder, name)
  let disks: Disks

  beforeAll(() => {
    disks = openTestDisks(folder)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('is created empty without allocating space', async () => {
    await disks.createBlank(at('new.qcow2'), 10 * 1024 ** 3)
    const facts = await disks.facts(at('new.qcow2'))
    expect(facts).toMatchObject({ format: 'qcow2', virtualBytes: 10 * 1024 ** 3 })
    expect(facts.usedBytes).toBeLessThan(mebibyte)
  })

  test('is never overwritten', async () => {
    await disks.createBlank(at('kept.qcow2'), mebibyte)
    const before = readFileSync(at('kept.qcow2'))
    expect((await refusal(disks.createBlank(at('kept.qcow2'), 2 * mebibyte))).code).not.toBe('none')
    expect(readFileSync(at('kept.qcow2')).equals(before)).toBe(true)
  })

  test('replaces a partial file left by an interrupted server', async () => {
    writeFileSync(at('half.qcow2.part'), 'half')
    await disks.createBlank(at('half.qcow2'), mebibyte)
    expect(existsSync(at('half.qcow2.part'))).toBe(false)
  })

  test('created from an image is a full copy of the requested size', async () => {
    const steps: number[] = []
    await disks.createFrom(at('copy.qcow2'), guestImage(), 100 * mebibyte, (percent) => steps.push(percent))
    expect(await disks.facts(at('copy.qcow2'))).toMatchObject({ format: 'qcow2', virtualBytes: 100 * mebibyte })
    expect(steps.at(-1)).toBe(100)
    expect(readFileSync(at('copy.qcow2')).readBigUInt64BE(8), 'no backing file').toBe(0n)
  })

  test('is never smaller than its image', async () => {
    await disks.createFrom(at('small.qcow2'), guestImage(), mebibyte)
    expect(await disks.facts(at('small.qcow2'))).toMatchObject({ virtualBytes: 40 * mebibyte })
  })

  test('created from a raw image is qcow2', async () => {
    writeFileSync(at('image.raw'), Buffer.alloc(mebibyte, 7))
    await disks.createFrom(at('from-raw.qcow2'), at('image.raw'), 2 * mebibyte)
    expect(await disks.facts(at('from-raw.qcow2'))).toMatchObject({ format: 'qcow2', virtualBytes: 2 * mebibyte })
  })

  test('leaves no files behind if its creation is cancelled', async () => {
    const given = new AbortController()
    const making = disks.createFrom(at('given-up.qcow2'), guestImage(), 0, undefined, given.signal)
    given.abort()
    await expect(making).rejects.toThrow('abort')
    expect(readdirSync(folder).filter((name) => name.startsWith('given-up'))).toEqual([])
  })

  test('can grow but not shrink', async () => {
    await disks.createBlank(at('growing.qcow2'), mebibyte)
    await disks.grow(at('growing.qcow2'), 3 * mebibyte)
    await disks.grow(at('growing.qcow2'), 2 * mebibyte)
    expect(await disks.facts(at('growing.qcow2'))).toMatchObject({ virtualBytes: 3 * mebibyte })
  })

  test('is read byte for byte', async () => {
    const { stream, sizeBytes } = await disks.read(guestImage())
    const hash = createHash('sha256')
    let read = 0
    for await (const chunk of stream) {
      hash.update(chunk as Buffer)
      read += (chunk as Buffer).length
    }
    expect(read).toBe(sizeBytes)
    expect(hash.digest('hex')).toBe(createHash('sha256').update(readFileSync(guestImage())).digest('hex'))
  })

  test('can be removed more than once', async () => {
    await disks.createBlank(at('removed.qcow2'), mebibyte)
    await disks.remove(at('removed.qcow2'))
    await disks.remove(at('removed.qcow2'))
    expect(existsSync(at('removed.qcow2'))).toBe(false)
  })

  test('reports the free space of its file system', async () => {
    expect(await disks.free()).toBeGreaterThan(mebibyte)
    expect(await disks.space()).toMatchObject({ used: expect.any(Number), free: expect.any(Number) })
  })
})
