import { create } from 'zustand'
import { s3Paths } from '../paths'

/** Whether the upload panel is open. It is shown on object storage pages only. */
export const useUploadPanel = create<{ isOpen: boolean }>()(() => ({ isOpen: false }))

let go: ((to: string) => void) | undefined
let hosts = 0

/** Registers a page that can show the panel. Returns a function to unregister it. */
export function hostUploads(leadTo: (to: string) => void): () => void {
  go = leadTo
  hosts += 1
  return () => {
    hosts -= 1
  }
}

/** Opens the panel, navigating to object storage if necessary. */
export function showUploads(): void {
  useUploadPanel.setState({ isOpen: true })
  if (hosts === 0) go?.(s3Paths.buckets())
}

export const hideUploads = () => useUploadPanel.setState({ isOpen: false })
