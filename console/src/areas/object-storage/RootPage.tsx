import { useEffect } from 'react'
import { useAppNavigate } from '../../nav/use-app-navigate'
import { s3Paths } from './paths'

/** `/s3-storage`: redirects to the buckets. */
export default function RootPage() {
  const go = useAppNavigate()
  useEffect(() => go(s3Paths.buckets(), { replace: true }), [go])
  return null
}
