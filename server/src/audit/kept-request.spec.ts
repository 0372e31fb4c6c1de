import type { TaskRequest } from '@mainstay/contract/core/tasks'
import { expect, it } from 'vitest'
import { keptRequest, LONGEST_REQUEST } from './kept-request'

const request = (body: unknown, query: Record<string, unknown> = {}): TaskRequest => ({
  verb: 'POST',
  path: '/api/v2/compute/servers/:id/action',
  params: { id: 'one' },
  query,
  body,
})

it('stores a call as sent, without secrets at any depth', () => {
  const body = {
    name: 'web',
    size: 2,
    password: 'hunter2 at last',
    user_data: '#!/bin/sh\necho hunter2',
    volumes: [{ secret: { inner: 'hunter2' }, size: 1 }],
    nothing: null,
  }
  const kept = keptRequest(request(body, { token: 'hunter2', limit: 5 }))
  expect(kept).toEqual(
    request(
      { ...body, password: '•••', user_data: '•••', volumes: [{ secret: '•••', size: 1 }] },
      { token: '•••', limit: 5 },
    ),
  )
  expect(JSON.stringify(kept)).not.toContain('hunter2')
})

it('replaces values that the database cannot store', () => {
  expect(keptRequest(request(undefined))?.body).toBeNull()
  expect(keptRequest(request({ name: 'a\0b' }))?.body).toEqual({ name: 'a\ufffdb' })
})

it('does not store a request that is too long', () => {
  expect(keptRequest(request({ text: 'a'.repeat(LONGEST_REQUEST - 200) }))).not.toBeNull()
  expect(keptRequest(request({ text: 'a'.repeat(LONGEST_REQUEST) }))).toBeNull()
})
