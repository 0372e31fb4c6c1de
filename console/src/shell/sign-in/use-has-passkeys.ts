import { passkeySignIn } from '@mainstay/contract/identity/passkeys'
import { useEffect, useState } from 'react'
import { call } from '../../api/call'

/** Whether anybody can sign in by a passkey here. Where nobody can say, it is not offered. */
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
