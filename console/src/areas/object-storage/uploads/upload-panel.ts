import { create } from 'zustand'
import { s3Paths } from '../paths'

/** Whether the panel with all uploads is open; it stands on the pages of object storage. */
export const useUploadPanel = create<{ isOpen: boolean }>()(() => ({ isOpen: false }))

let go: ((to: string) => void) | undefined
let hosts = 0

/** A page on which the panel can stand. Gives back how to end it. */
export function hostUploads(leadTo: (to: string) => void): () => void {
  go = leadTo
  hosts += 1
  return () => {
    hosts -= 1
  }
}

/** Opens the panel, from wherever the person is. */
export function showUploads(): void {
  useUploadPanel.setState({ isOpen: true })
  if (hosts === 0) go?.(s3Paths.buckets())
}

export const hideUploads = () => useUploadPanel.setState({ isOpen: false })
