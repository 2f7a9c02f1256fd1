/** The sign of Stampede: three strokes that lean forward. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
      <path d="M3 20 9 4M9.5 20l6-16M16 20l6-16" />
    </svg>
  );
}
