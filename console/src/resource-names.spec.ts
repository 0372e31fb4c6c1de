import { expect, it } from 'vitest'
import { resources } from '@mainstay/contract/resources'
import locks from '../locales/en/locks.json'
import type { Resource } from './nav/resource'

const files: Record<string, Record<string, unknown>> = import.meta.glob('./areas/**/resource.ts', { eager: true })
const isResource = (it: unknown): it is Resource =>
  typeof it === 'object' && it !== null && 'words' in it && 'calls' in it

it('names each resource as the contract does, so that a missing permission can be explained', () => {
  const all = Object.values(files).flatMap((file) => Object.values(file).filter(isResource))
  expect(all.length).toBeGreaterThan(15)
  const known = resources as Record<string, { calls: { list?: unknown; delete?: unknown } }>
  const wrong = all.filter(({ called, words, calls }) => {
    const told = known[called ?? words]?.calls
    return told?.list !== calls.list || told.delete !== calls.delete
  })
  expect(wrong.map(({ called, words }) => called ?? words)).toEqual([])
})

it('defines lock and unlock titles for every resource that can be locked against deletion', () => {
  const all = Object.values(files).flatMap((file) => Object.values(file).filter(isResource))
  const isLockable = ({ calls }: Resource) =>
    Object.values(calls).some(({ path }: { path: string }) => path.endsWith('/deletion-lock'))
  const asked = all.filter(isLockable).flatMap(({ words }) => [`lock.title.${words}`, `unlock.title.${words}`])
  expect(asked.length).toBeGreaterThan(2)
  expect(asked.filter((key) => !(key in locks))).toEqual([])
})
