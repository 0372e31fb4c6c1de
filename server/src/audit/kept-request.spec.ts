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

it('keeps a call as it was made, without what nobody is to read, wherever it stands', () => {
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

it('keeps what the database can keep', () => {
  expect(keptRequest(request(undefined))?.body).toBeNull()
  expect(keptRequest(request({ name: 'a\0b' }))?.body).toEqual({ name: 'a\ufffdb' })
})

it('keeps nothing of a call that is too long', () => {
  expect(keptRequest(request({ text: 'a'.repeat(LONGEST_REQUEST - 200) }))).not.toBeNull()
  expect(keptRequest(request({ text: 'a'.repeat(LONGEST_REQUEST) }))).toBeNull()
})
