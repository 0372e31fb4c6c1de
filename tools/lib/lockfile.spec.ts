import { expect, test } from 'vitest'
import { completed, entryFor, missingOptional } from './lockfile.mjs'

const tool = { version: '2.0.0', dev: true, license: 'MIT', optionalDependencies: { '@tool/linux-x64-musl': '2.0.0' } }

test('looks for optional packages in the same folders as Node', () => {
  const below = 'node_modules/a/node_modules/tool'
  const name = '@tool/linux-x64-musl'
  expect(missingOptional({ [below]: tool }).map((one) => one.name)).toEqual([name])
  for (const place of [`${below}/`, 'node_modules/a/', '']) {
    expect(missingOptional({ [below]: tool, [`${place}node_modules/${name}`]: {} })).toEqual([])
  }
  expect(missingOptional({ [below]: tool, [`node_modules/b/node_modules/${name}`]: {} })).toHaveLength(1)
})

test.each([
  ['@tool/linux-x64-musl', { os: ['linux'], cpu: ['x64'], libc: ['musl'] }],
  ['@tool/binding-linux-arm-gnueabihf', { os: ['linux'], cpu: ['arm'], libc: ['glibc'] }],
  ['@tool/binding-android-arm-eabi', { os: ['android'], cpu: ['arm'] }],
  ['@tool/binding-win32-arm64-msvc', { os: ['win32'], cpu: ['arm64'] }],
  ['@tool/darwin-arm64', { os: ['darwin'], cpu: ['arm64'] }],
])('derives the platform for %s from the package name', (name, system) => {
  expect(entryFor({ name, version: '2.0.0', of: tool })).toEqual({
    version: '2.0.0',
    dev: true,
    license: 'MIT',
    optional: true,
    ...system,
  })
})

test('rejects names that contain no platform, and inexact versions', () => {
  expect(() => entryFor({ name: 'fsevents', version: '2.0.0', of: tool })).toThrow('contains no system')
  expect(() => entryFor({ name: '@tool/linux-x64', version: '^2.0.0', of: tool })).toThrow('not exact')
})

test('adds entries without changing anything else', () => {
  const packages = { '': {}, 'node_modules/tool': tool, 'node_modules/zod': { version: '4.0.0' } }
  const result = completed(packages)
  expect(result).toMatchObject(packages)
  expect(Object.keys(result)).toEqual([
    '',
    'node_modules/@tool/linux-x64-musl',
    'node_modules/tool',
    'node_modules/zod',
  ])
})
