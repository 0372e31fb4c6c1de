import { backupFiles, type FilesSession } from '@mainstay/contract/storage/backup-files'
import { useEffect } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../../api/call'
import { isOf, viewKey } from '../../../../api/keys'
import { asProblem, type CallProblem } from '../../../../api/problem'

const OPENING_MS = 1000
/** How often a session is looked at, because it ends when it is not used. */
const READY_MS = 30_000

export interface OpenFiles {
  /** Undefined until the server has answered. */
  session: FilesSession | undefined
  /** Why the files cannot be opened. */
  problem: CallProblem | undefined
  /** The session has ended, because it was not used. */
  isClosed: boolean
  openAgain: () => void
}

const isNotOpen = (problem: CallProblem | undefined): boolean => problem?.said?.key === 'storage.files_not_open'

/** Looks at the session again when a call reports that the files are no longer open. */
export function useClosedFiles(problem: CallProblem | undefined): void {
  const client = useQueryClient()
  const hasEnded = isNotOpen(problem)
  useEffect(() => {
    if (hasEnded) void client.invalidateQueries({ predicate: isOf(backupFiles.view) })
  }, [client, hasEnded])
}

/** Opens the files of a recovery point, and follows the session. Without an ID, nothing is opened. */
export function useFilesSession(id: string | undefined): OpenFiles {
  const client = useQueryClient()
  const queryKey = viewKey('', backupFiles.view, { id: id ?? '' }, {})
  const { data, error } = useQuery({
    queryKey,
    queryFn: ({ signal }) => {
      const input = { params: { id: id ?? '' } }
      return client.getQueryData(queryKey) === undefined
        ? call(backupFiles.openFiles, input)
        : call(backupFiles.view, input, { signal })
    },
    enabled: id !== undefined,
    // a user who comes back later opens the files again
    gcTime: 0,
    refetchOnMount: 'always',
    refetchInterval: ({ state }) =>
      state.error ? false : state.data?.status === 'opening' ? OPENING_MS : state.data ? READY_MS : false,
  })
  const problem = error ? asProblem(error) : undefined
  return {
    session: data,
    problem: isNotOpen(problem) || (data && problem?.kind === 'network') ? undefined : problem,
    isClosed: isNotOpen(problem),
    openAgain: () => {
      for (const endpoint of [backupFiles.fileSystems, backupFiles.entries])
        client.removeQueries({ predicate: isOf(endpoint) })
      void client.resetQueries({ queryKey })
    },
  }
}
