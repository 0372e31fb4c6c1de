import { useParams } from '@tanstack/react-router'

/** A parameter of the address: `const id = useParam('sshKeyId')`. */
export function useParam(name: string): string {
  const value = useParams({ strict: false, select: (params: Record<string, string | undefined>) => params[name] })
  if (value === undefined) throw new Error(`This address has no ${name}`)
  return value
}

/** One that may be left out, as a tab. */
export const useOptionalParam = (name: string): string | undefined =>
  useParams({ strict: false, select: (params: Record<string, string | undefined>) => params[name] })
