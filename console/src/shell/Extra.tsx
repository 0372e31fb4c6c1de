import { Component, Suspense, type ReactNode } from 'react'

/**
 * A part of the frame that loads after the page. If loading fails, for example because the server has stopped, the part
 * is omitted. Otherwise the error would reach the router’s error boundary, which replaces the whole console.
 */
export class Extra extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    return this.state.hasFailed ? null : <Suspense fallback={null}>{this.props.children}</Suspense>
  }
}
