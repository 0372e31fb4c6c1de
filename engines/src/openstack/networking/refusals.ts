import type { RuleText } from '@mainstay/contract/core/said'
import { Problem, type ProblemCode, problem, problemOfFields, withField } from '@mainstay/contract/core/problems'

/* Assigns refusals of the network service to fields. */

interface Fault {
  field: string
  code: ProblemCode
  message: RuleText
}

/** Throws all faults, if any. `at`: prefix of the fields in the request (`subnets.0.`). */
export function refuseFaults(faults: readonly Fault[], at = ''): void {
  const [first] = faults
  if (!first) return
  const fields: Record<string, RuleText[]> = {}
  for (const { field, message } of faults) (fields[`${at}${field}`] ??= []).push(message)
  throw problemOfFields(first.code, fields)
}

/** Fields by error code; other refusals keep their fields. */
export type FieldsOfCodes = Partial<Record<ProblemCode, string>>

/** Assigns a refusal of the call to the field for its code. */
export async function atFields<Result>(fields: FieldsOfCodes, call: Promise<Result>): Promise<Result> {
  try {
    return await call
  } catch (error) {
    const field = error instanceof Problem ? fields[error.code] : undefined
    throw error instanceof Problem && field !== undefined ? withField(error, { field }) : error
  }
}

/** Awaits `work`, and calls `more` with its refusal; throws other errors unchanged. */
export async function orElse<Result>(
  work: Promise<Result>,
  more: (problem: Problem) => Promise<Result> | Result,
): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return more(error)
    throw error
  }
}

/** Refusal that left an incomplete object behind, which is deleted later. */
export const leftBehind = (cause: unknown): Problem => problem('networking.cloud_did_part', {}, { cause })
