import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { freshSession } from '../testing/fresh-session'
import { draftHours, dropDraft, hasDrafts, keepDraft, readDraft } from './drafts'
import { forgetKept } from './kept'
import { setSession } from './session'

const person = (id: string) => ({ id, name: id, email: null, domain_id: 'd', domain_name: 'd', roles: [] }) as never
const enter = (id: string, project: string) =>
  setSession({ status: 'signed-in', user: person(id), project: { id: project, name: project } })

beforeEach(() => {
  localStorage.clear()
  freshSession()
  enter('ada', 'shop')
})
afterEach(() => void vi.useRealTimers())

it('keeps a draft per user, project and path', () => {
  keepDraft('/compute/volumes/add', { name: 'data' })
  expect(readDraft('/compute/volumes/add')?.values).toEqual({ name: 'data' })
  expect(readDraft('/compute/ssh-keys/add')).toBeUndefined()
  enter('ada', 'books')
  expect(readDraft('/compute/volumes/add')).toBeUndefined()
  enter('dora', 'shop')
  expect([readDraft('/compute/volumes/add'), hasDrafts()]).toEqual([undefined, false])
  enter('ada', 'shop')
  dropDraft('/compute/volumes/add')
  expect(hasDrafts()).toBe(false)
})

it('removes another user’s drafts when a draft is saved', () => {
  keepDraft('/compute/volumes/add', { name: 'data' })
  enter('dora', 'shop')
  keepDraft('/compute/volumes/add', { name: 'mine' })
  enter('ada', 'shop')
  expect(hasDrafts()).toBe(false)
  expect(JSON.stringify({ ...localStorage })).not.toContain('data')
})

it('expires after eight hours', () => {
  vi.useFakeTimers()
  keepDraft('/compute/volumes/add', { name: 'data' })
  vi.setSystemTime(Date.now() + draftHours * 3_600_000 - 1000)
  expect(hasDrafts()).toBe(true)
  vi.setSystemTime(Date.now() + 1000)
  expect([draftHours, hasDrafts()]).toEqual([8, false])
})

it('deletes drafts on sign-out, but keeps them after an idle sign-out', () => {
  keepDraft('/compute/volumes/add', { name: 'data' })
  forgetKept({ keepsDrafts: true })
  expect(hasDrafts()).toBe(true)
  forgetKept()
  expect(hasDrafts()).toBe(false)
})

it.each(['no json', '{}', '[1]', '{"user":"ada","drafts":{"x":{"at":"now"}}}', '{"user":"ada","drafts":7}'])(
  'ignores a malformed draft record: %s',
  (kept) => {
    localStorage.setItem('drafts', kept)
    expect(hasDrafts()).toBe(false)
    keepDraft('/compute/volumes/add', { name: 'data' })
    expect(hasDrafts()).toBe(true)
  },
)

it('does not keep values that are too long to have been typed', () => {
  keepDraft('/compute/volumes/add', { script: 'x'.repeat(65 * 1024) })
  expect(hasDrafts()).toBe(false)
})
