import { useEffect } from 'react'
import { s3Keys, type S3Account } from '@mainstay/contract/object-storage/s3-keys'
import { useView, type View } from '../../api/use-view'
import { handleUnavailable } from './availability'

/** The user's own S3 account with its keys. Updates the session if the account is no longer available. */
export function useAccount(): View<S3Account> {
  const view = useView(s3Keys.account, {})
  const { problem } = view
  useEffect(() => handleUnavailable(problem), [problem])
  return view
}
