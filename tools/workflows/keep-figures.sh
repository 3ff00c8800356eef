#!/usr/bin/env bash
# keep-figures.sh FILE
# Adds the figures of a benchmark to the branch benchmark-history, one file for each day and commit, and pushes it.
# The work tree is left alone: the branch is checked out elsewhere.
set -euo pipefail

figures=$(realpath "$1")
branch=benchmark-history
commit=$(git rev-parse --short=12 HEAD)
file="$(date --utc +%F)-$commit.json"

folder=$(mktemp -d)
trap 'git worktree remove --force "$folder"' EXIT
git worktree add --quiet --detach "$folder"

if git -C "$folder" fetch --quiet --depth 1 origin "$branch"; then
  git -C "$folder" switch --quiet --force-create "$branch" FETCH_HEAD
else
  # The first night. Where the fetch failed for another reason, the push is refused, since the branch has other commits.
  git -C "$folder" switch --quiet --orphan "$branch"
fi
cp "$figures" "$folder/$file"
git -C "$folder" add "$file"
git -C "$folder" \
  -c user.name='github-actions[bot]' \
  -c user.email='41898282+github-actions[bot]@users.noreply.github.com' \
  commit --quiet --message "bench: figures of $commit"
git -C "$folder" push --quiet origin "$branch"
