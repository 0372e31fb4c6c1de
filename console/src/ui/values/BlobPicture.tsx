import { useEffect, useState, type ReactNode } from 'react'
import css from './BlobPicture.module.css'

const freeAfterMs = 1000

interface BlobPictureProps {
  /** An image of a type that cannot contain scripts. */
  of: Blob
  alt: string
  /** Shown instead if the browser cannot decode the image. */
  fallback: ReactNode
}

/** Shows a downloaded image. Give it another `key` for another image. */
export function BlobPicture({ of, alt, fallback }: BlobPictureProps) {
  const [address] = useState(() => URL.createObjectURL(of))
  const [isBroken, setBroken] = useState(false)
  // revoke the URL after the image has been unmounted
  useEffect(() => () => void setTimeout(() => URL.revokeObjectURL(address), freeAfterMs), [address])
  return isBroken ? fallback : <img className={css.picture} src={address} alt={alt} onError={() => setBroken(true)} />
}
