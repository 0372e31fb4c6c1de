import { act, renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'
import { problemOf } from '../../api/problem'
import { useCredentials } from './use-credentials'

const said = ((key: string, params?: object) => `${key} ${JSON.stringify(params ?? {})}`) as never
const answered = (status: number, err_code: string) =>
  problemOf(status, { error: { message: 'no', err_code } }, (name) => (name === 'retry-after' ? '5' : null))

it.each([
  [429, 'too_many_attempts', 'signIn.backOff {"seconds":5}'],
  [503, 'server_busy', 'signIn.busy {"seconds":5}'],
])('a response with status %d shows after how many seconds the user can try again', async (status, code, text) => {
  const { result } = renderHook(() => useCredentials(said, () => Promise.reject(answered(status, code))))
  await act(() => result.current.submit())
  expect(result.current).toMatchObject({ fault: text, isWaiting: true, isBusy: false })
})
