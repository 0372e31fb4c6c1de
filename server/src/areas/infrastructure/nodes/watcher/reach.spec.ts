import { LinkFault } from '@mainstay/engines/hosts/link-fault'
import { expect, it } from 'vitest'
import { withinTime } from './reach'

it('work that takes too long ends with a fault that names the host, even if it ignores the signal', async () => {
  const { signal } = new AbortController()
  const error: unknown = await withinTime(10, { host: 'n1', signal }, () => new Promise(() => undefined)).catch(
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(LinkFault)
  expect(error).toMatchObject({ reason: 'timeout', message: expect.stringContaining('n1') as string })
})
