import { passkeySignIn } from '@mainstay/contract/identity/passkeys'
import { useEffect, useState } from 'react'
import { call } from '../../api/call'

/** Whether passkey sign-in is available here; false if the request fails. */
export function useHasPasskeys(): boolean {
  const [hasPasskeys, setHasPasskeys] = useState(false)
  useEffect(() => {
    call(passkeySignIn.passkeyWay, {}).then(
      ({ is_offered }) => setHasPasskeys(is_offered),
      () => undefined,
    )
  }, [])
  return hasPasskeys
}
