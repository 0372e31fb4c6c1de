import { expect, test } from 'vitest'
import { aptProgress, npmProgress } from './progress.mjs'

test('counts fetched packages in npm output', () => {
  const read = npmProgress(2)
  expect(read('npm http fetch GET 200 https://registry.example/zod 20ms (cache miss)')).toBeNull()
  expect(read('npm http fetch GET 200 https://registry.example/zod/-/zod-4.1.0.tgz 120ms (cache miss)')).toBe(
    'fetched 1 of 2 packages',
  )
  expect(read('npm http cache https://registry.example/pg/-/pg-8.0.0.tgz 3ms (cache hit)')).toBe(
    'fetched 2 of 2 packages',
  )
})

test("counts packages in each of apt's three phases", () => {
  const read = aptProgress()
  expect(read('Get:1 http://archive.example/debian bookworm InRelease [151 kB]')).toBeNull()
  expect(read('0 upgraded, 2 newly installed, 0 to remove and 3 not upgraded.')).toBeNull()
  expect(read('Get:1 http://archive.example/debian bookworm/main amd64 nftables amd64 1.0.6 [68 kB]')).toBe(
    'fetched 1 of 2 packages',
  )
  expect(read('Unpacking nftables (1.0.6) ...')).toBe('unpacked 1 of 2 packages')
  expect(read('Setting up nftables (1.0.6) ...')).toBe('installed 1 of 2 packages')
})
