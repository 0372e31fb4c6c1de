import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { builtIn } from './built-in-catalogue'
import { readCatalogue } from './read-catalogue'

let folder: string
let file: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mainstay-catalogue-'))
  file = path.join(folder, 'image-catalogue.json')
})
beforeEach(() => rm(file, { force: true }))
afterAll(() => rm(folder, { recursive: true, force: true }))

const own = { id: 'our-linux', name: 'Our Linux', version: '7', url: 'https://images.example/our.qcow2' }
const wrong = async (text: string) => {
  await writeFile(file, text)
  const { data, problem } = await readCatalogue(file)
  expect(data).toEqual(builtIn)
  return problem
}

it('if there is no file, returns the built-in images, each with an https URL and a checksum', async () => {
  const { data, problem } = await readCatalogue(file)
  expect(problem).toBeNull()
  expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(['debian-13', 'ubuntu-24.04', 'alpine-3.22']))
  expect(new Set(data.map(({ id }) => id)).size).toBe(data.length)
  for (const { id, url, checksum, checksum_url, username } of data) {
    expect(new URL(url).protocol, id).toBe('https:')
    expect(checksum ?? checksum_url, id).not.toBeNull()
    expect(username, id).not.toBeNull()
  }
})

it('if there is a file, it replaces the built-in list', async () => {
  await writeFile(file, JSON.stringify({ images: [own] }))
  const { data, problem } = await readCatalogue(file)
  expect(problem).toBeNull()
  expect(data).toEqual([expect.objectContaining({ ...own, username: null, checksum: null, os_distro: 'linux' })])
})

it('reports the position of a JSON error and keeps the built-in list', async () => {
  expect(await wrong('{\n  "images": [\n    {"id" "x"}\n  ]\n}')).toBe(
    'image-catalogue.json: it is not JSON, line 3, column 11',
  )
  expect(await wrong('{\n  "images": [')).toBe('image-catalogue.json: it is not JSON, line 2, column 14')
  expect(await wrong('')).toMatch(/it is not JSON, line 1, column 1$/)
})

it('names the field with an invalid value', async () => {
  expect(await wrong(JSON.stringify({ images: [own, { ...own, id: 'b', url: 'ftp://x' }] }))).toMatch(
    /^image-catalogue\.json: images\.1\.url: Enter a URL/,
  )
  expect(await wrong(JSON.stringify({ images: [own, own] }))).toMatch(/images: Two images have the same ID/)
  expect(await wrong(JSON.stringify([own]))).toMatch(/^image-catalogue\.json: the file: /)
  expect(await wrong(' '.repeat(1024 * 1024 + 1))).toMatch(/it has more than 1048576 bytes/)
})
