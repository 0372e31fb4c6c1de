import { useEffect } from 'react'
import { useGo } from '../../nav/use-go'
import { s3Paths } from './paths'

/** `/s3-storage`: leads to the buckets. */
export default function RootPage() {
  const go = useGo()
  useEffect(() => go(s3Paths.buckets(), { replace: true }), [go])
  return null
}
