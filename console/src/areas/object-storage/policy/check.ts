import { MOST_POLICY_BYTES } from '../client/policy'
import { jsonFaultAt } from './json-fault'

/** What is wrong with the text of a policy before the server is asked; null: nothing. `line` counts from 1. */
export type PolicyFault =
  | { reason: 'empty' }
  | { reason: 'tooLong'; most: number }
  | { reason: 'syntax'; message: string; line: number }
  | { reason: 'noObject' }

/** Checks the syntax of a policy; what it means is checked by the server. */
export function policyFault(text: string): PolicyFault | null {
  if (text.trim() === '') return { reason: 'empty' }
  if (new TextEncoder().encode(text).length > MOST_POLICY_BYTES) return { reason: 'tooLong', most: MOST_POLICY_BYTES }
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? null : { reason: 'noObject' }
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    return { reason: 'syntax', message, line: text.slice(0, jsonFaultAt(text)).split('\n').length }
  }
}

const policy = (statement: Record<string, unknown>) =>
  JSON.stringify({ Version: '2012-10-17', Statement: [statement] }, null, 2)

/** Everybody may read all objects. */
export const publicReadPolicy = (bucket: string): string =>
  policy({
    ...{ Sid: 'PublicRead', Effect: 'Allow', Principal: '*' },
    ...{ Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/*` },
  })

/** Another S3 user may list the bucket, and read and write in it. */
export const sharedPolicy = (bucket: string, arn: string): string =>
  policy({
    ...{ Sid: 'Share', Effect: 'Allow', Principal: { AWS: arn } },
    Action: ['s3:ListBucket', 's3:GetObject', 's3:PutObject', 's3:DeleteObject'],
    Resource: [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`],
  })
