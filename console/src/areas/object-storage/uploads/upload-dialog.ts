import { create } from 'zustand'
import { s3Paths } from '../paths'

/** Whether the dialog with all uploads is open; it stands on the pages of object storage. */
export const useUploadDialog = create<{ isOpen: boolean }>()(() => ({ isOpen: false }))

let go: ((to: string) => void) | undefined
let hosts = 0

/** A page on which the dialog can stand. Gives back how to end it. */
export function hostUploads(leadTo: (to: string) => void): () => void {
  go = leadTo
  hosts += 1
  return () => {
    hosts -= 1
  }
}

/** Opens the dialog, from wherever the person is. */
export function showUploads(): void {
  useUploadDialog.setState({ isOpen: true })
  if (hosts === 0) go?.(s3Paths.buckets())
}
