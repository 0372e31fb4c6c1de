import * as z from 'zod'
import { endpoints } from '../core/endpoint'

/** Panels with the feature: both, or only the self-service portal. */
export const featureTargets = ['common', 'self-service'] as const

/**
 * Parts of the console that can be turned off, on the server for everyone, or in the browser for the current user only
 * (S1§3).
 */
export const features = {
  'tasks-notifications': 'common',
  'keyboard-shortcuts': 'common',
  'project-search': 'self-service',
} as const satisfies Record<string, (typeof featureTargets)[number]>
export type FeatureId = keyof typeof features
export const featureIds = Object.keys(features) as FeatureId[]

export const Feature = z.object({
  id: z.string(),
  enabled: z.boolean(),
  metadata: z.object({ target: z.enum(featureTargets) }),
})
export type Feature = z.infer<typeof Feature>

export const featureCalls = endpoints({
  list: {
    verb: 'GET',
    path: '/features.json',
    needs: 'public',
    summary: 'List console features. Includes whether each feature is enabled.',
    reply: z.array(Feature),
  },
})
